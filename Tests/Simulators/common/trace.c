#include "trace.h"

#include <stdarg.h>

void trace_line(const struct trace *trace, const char *format, ...) {
    if (trace->out == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(trace->out, format, arguments);
    va_end(arguments);
    putc('\n', trace->out);
}
