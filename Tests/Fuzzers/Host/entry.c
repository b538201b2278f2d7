/* The entry point of one fuzzer of the host for libFuzzer. FUZZER is the fuzzer's name. */
#include <stddef.h>
#include <stdint.h>

int FUZZER(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) { return FUZZER(bytes, count); }
