// The output lines that README.md describes.
#ifndef TRACE_H
#define TRACE_H

#include <stdio.h>

struct trace {
    FILE *out; // the stream for the output lines; NULL if there is no trace
};

__attribute__((format(printf, 2, 3))) void trace_line(const struct trace *trace, const char *format,
                                                      ...);

#endif
