# What crivo's own repository needs beside the checks of a project; .ci/run sources it.
# shellcheck shell=bash disable=SC2034 # `checks` is read there

# The report page is tested in a real browser and sharing with a real SSH server, both from
# Debian's packages where they can be had.
PATH=$PATH:/usr/sbin
missing=
command -v chromedriver >/dev/null || missing='chromium chromium-driver'
command -v sshd >/dev/null || missing="$missing openssh-server"
if [ -n "$missing" ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  # shellcheck disable=SC2086 # several names
  { apt-get update -qq && apt-get install -qq -y $missing; } </dev/null >/dev/null ||
    echo "could not be installed:$missing; the tests that need it will say that they are skipped."
fi

# Both runs of the tests share the projects that they make.
export CRIVO_MADE="$work/made"
mkdir "$CRIVO_MADE"
checks='test test-slow'
