/* libFuzzer's entry of one fuzzer of the host; FUZZER is its name. */
#include <stddef.h>
#include <stdint.h>

int FUZZER(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) { return FUZZER(bytes, count); }
