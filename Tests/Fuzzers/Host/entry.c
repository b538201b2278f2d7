/* The entry point for libFuzzer of one of the host's fuzzers. FUZZER is the fuzzer's name. */
#include <stddef.h>
#include <stdint.h>

int FUZZER(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) { return FUZZER(bytes, count); }
