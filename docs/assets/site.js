// Code and tables that are wider than the page are scrolled by the keyboard, too.
addEventListener("load", () => {
  for (const wide of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    wide.setAttribute("tabindex", "0");
  }
});
