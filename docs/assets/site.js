addEventListener("load", () => {
  // Code and tables that are wider than the page are scrolled by the keyboard, too.
  for (const wide of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
    wide.setAttribute("tabindex", "0");
  }
  // For screen readers, the search has a name, and the button of each code block is no navigation.
  document.querySelector("[role=dialog]").setAttribute("aria-label", "Search");
  for (const buttons of document.querySelectorAll(".md-code__nav")) {
    buttons.setAttribute("role", "none");
  }
});
