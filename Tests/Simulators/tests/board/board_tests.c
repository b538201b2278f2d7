// Tests the peripherals of the simulated Pico against the datasheets.
#include "bench.h"

#include <stdlib.h>

int main(void) {
    struct tests tests = {0};
    test_i2c(&tests);
    test_usb_controller(&tests);
    test_usb_host(&tests);
    test_usbip(&tests);
    test_descriptors(&tests);
    test_flash(&tests);
    test_bootsel(&tests);
    printf("%u tests of the simulated Pico, %u failures\n", tests.run, tests.failed);
    return tests.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
