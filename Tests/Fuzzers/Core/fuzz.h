/* The input of the fuzzers of the firmware core. The fuzzers consume the bytes of the input one by
 * one. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Tests/ModelBoard/promise.h"

/** The input of a fuzzer: the bytes that libFuzzer passes to LLVMFuzzerTestOneInput. */
struct input {
    const uint8_t *bytes;
    size_t left;
};

/** Returns the next byte, or 0 if all bytes have been consumed. */
static inline uint8_t take(struct input *input) {
    if (input->left == 0) {
        return 0;
    }
    input->left--;
    return *input->bytes++;
}

static inline uint16_t take_16(struct input *input) {
    uint16_t low = take(input);
    return (uint16_t)(low | take(input) << 8);
}

/** The function that libFuzzer calls. libFuzzer has no header that declares it. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#endif
