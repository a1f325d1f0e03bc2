"""What all of the library's tests start with."""

import signal

# A shell starts what runs in the background with Ctrl-C ignored, and so would what tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
