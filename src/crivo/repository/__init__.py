"""Git and DVC: what they hold of a project, and running them.

No other package imports DVC or runs either. What is only read (git's objects, `dvc.lock`, `.dvc`
files, the cache) is read without DVC, so that recorded results outlive it.
"""
