#!/bin/sh
# In the simulator's place: runs the "image" that it is given, a shell script.
#
# A test does not write a program and start it: another thread's child may still hold the file open
# for writing at that moment, and it would be "busy".
. "$2"
