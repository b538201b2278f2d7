// Tests which descriptors the host accepts from a CDC-ACM device.
#include "usb_device.h"

#include <string.h>

static struct usb_serial_function function;

// Returns the error message for the configuration after one of its bytes has been changed.
static const char *changed(size_t at, uint8_t value) {
    uint8_t bytes[sizeof usb_device_configuration];
    memcpy(bytes, usb_device_configuration, sizeof bytes);
    bytes[at] = value;
    return usb_find_serial_function(bytes, sizeof bytes, &function);
}

static bool refuses_device(size_t at, uint8_t value) {
    uint8_t bytes[sizeof usb_device_descriptor];
    memcpy(bytes, usb_device_descriptor, sizeof bytes);
    bytes[at] = value;
    return usb_check_device(bytes, sizeof bytes) != NULL;
}

void test_descriptors(struct tests *tests) {
    EXPECT(tests, "a device descriptor has 18 bytes, and EP0 has packets of 64",
           usb_check_device(usb_device_descriptor, 18) == NULL &&
               usb_check_device(usb_device_descriptor, 17) != NULL && refuses_device(0, 17) &&
               refuses_device(7, 8) && refuses_device(2, 0x10) && refuses_device(4, 0xFF));
    EXPECT(tests, "a configuration has a function with three endpoints",
           changed(0, 9) == NULL && function.notifications.number == 1 &&
               function.from_device.number == 2 && function.to_device.number == 2 &&
               function.control_interface == 0 && function.notifications.interval == 16);
    EXPECT(tests, "a configuration has its total length", changed(2, 74) != NULL);
    EXPECT(tests, "a configuration has the stated number of interfaces", changed(4, 3) != NULL);
    EXPECT(tests, "... of ACM", changed(23, 6) != NULL);
    EXPECT(tests, "a configuration has a union", changed(42, 7) != NULL);
    EXPECT(tests, "a configuration has bulk endpoints for data", changed(64, 3) != NULL);
    EXPECT(tests, "the bulk endpoints have an allowed packet size", changed(65, 60) != NULL);
    EXPECT(tests, "the descriptors fill the configuration", changed(68, 8) != NULL);
    EXPECT(tests, "a string descriptor states its own length",
           usb_check_string((const uint8_t[]){4, 3, 'A', 0}, 4) == NULL &&
               usb_check_string((const uint8_t[]){6, 3, 'A', 0}, 4) != NULL);
}
