/* A promise that no input may break: a broken one is printed and ends the program. */
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
