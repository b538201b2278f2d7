// The pins GPIO0 to GPIO29: IO_BANK0, PADS_BANK0 and the SIO's GPIO registers (datasheet 2.3.1.2,
// 2.19), the drive of each pad, and the level of its wire.
#ifndef GPIO_H
#define GPIO_H

#include <stdbool.h>
#include <stdint.h>

#define GPIO_COUNT 30u

struct machine;

enum gpio_drive { GPIO_RELEASED, GPIO_DRIVES_LOW, GPIO_DRIVES_HIGH };

// FUNCSEL (2.19.2). Other functions are not modeled.
enum gpio_function { GPIO_FUNCTION_I2C = 3, GPIO_FUNCTION_SIO = 5, GPIO_FUNCTION_NULL = 31 };

// The circuit outside the chip that is connected to a pin. `level` returns the effect of the
// circuit on the wire; if the result is GPIO_RELEASED, the driver and the pulls of the pad
// determine the level. `level` is NULL if there is no circuit.
struct gpio_wire {
    enum gpio_drive (*level)(void *owner, unsigned pin);
    // A function that is called when the function or the drive of the pad has changed. For a write
    // to several pins, the function is called only once. May be NULL.
    void (*changed)(void *owner, unsigned pin, uint64_t when);
    void *owner;
};

struct gpio {
    struct machine *machine;
    uint32_t out;    // SIO
    uint32_t enable; // SIO
    uint32_t control[GPIO_COUNT];
    uint32_t pad[GPIO_COUNT];
    struct gpio_wire wires[GPIO_COUNT];
    uint16_t told[GPIO_COUNT]; // the state that was last reported to the owner of each wire
};

void gpio_init(struct gpio *gpio, struct machine *machine);

// Resets the SIO's registers, which are reset only together with the chip.
void gpio_reset_sio(struct gpio *gpio);
uint32_t gpio_read_sio(struct gpio *gpio, uint32_t offset);
void gpio_write_sio(struct gpio *gpio, uint32_t offset, uint32_t value);

void gpio_connect(struct gpio *gpio, unsigned pin, const struct gpio_wire *wire);

// Returns how the SIO drives the pin. A pin with a different function is considered released,
// because a different block drives it.
enum gpio_drive gpio_drive(const struct gpio *gpio, unsigned pin);
enum gpio_function gpio_function(const struct gpio *gpio, unsigned pin);
// The first function returns true if the input of the pad is enabled (PADS IE), the second if its
// pull-up is enabled.
bool gpio_has_input(const struct gpio *gpio, unsigned pin);
bool gpio_has_pull_up(const struct gpio *gpio, unsigned pin);
// Returns the level of the wire, which is high if a circuit drives or pulls the wire high and no
// circuit drives it low.
bool gpio_level(const struct gpio *gpio, unsigned pin);

#endif
