#!/bin/sh
# Replaces the simulator. The "image" is a shell script, which this program runs.
#
# A test must not write a program and then start it: a child process of another thread may still
# have the file open for writing, and the system would then report that the file is busy.
. "$2"
