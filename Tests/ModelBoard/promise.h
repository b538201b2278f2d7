/* An assertion that must be true for every input. If it fails, it is printed and the program ends.
 * */
#ifndef PROMISE_H
#define PROMISE_H

#include <stdio.h>

#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

#endif
