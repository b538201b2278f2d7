#!/bin/sh
# Runs an image that is a shell script, in place of a simulator.
#
# A test must not write a program and then start it, because a child process of another thread may still have the file
# open for writing. The system would then report that the file is busy.
. "$2"
