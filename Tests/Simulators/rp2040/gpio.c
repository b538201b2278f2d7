#include "gpio.h"

#include "machine.h"

#include <stddef.h>

enum {
    SIO_CPUID = 0x00,
    SIO_IN = 0x04,
    SIO_OUT = 0x10,
    SIO_OUT_SET = 0x14,
    SIO_OUT_CLR = 0x18,
    SIO_OUT_XOR = 0x1C,
    SIO_OE = 0x20,
    SIO_OE_SET = 0x24,
    SIO_OE_CLR = 0x28,
    SIO_OE_XOR = 0x2C,
};

#define GPIO_ALL ((1u << GPIO_COUNT) - 1)

#define IO_PIN_SIZE 8u // STATUS, CTRL
#define IO_CTRL 4u
#define FUNCSEL_BITS 0x1Fu

#define PADS_GPIO0 4u
#define PAD_OD (1u << 7)
#define PAD_IE (1u << 6)
#define PAD_PUE (1u << 3)
#define PAD_BITS 0xFFu
#define PAD_RESET 0x56u

// ---- Levels ----

enum gpio_function gpio_function(const struct gpio *gpio, unsigned pin) {
    return (enum gpio_function)gpio->control[pin];
}

enum gpio_drive gpio_drive(const struct gpio *gpio, unsigned pin) {
    bool is_output = (gpio->enable >> pin & 1) != 0 && (gpio->pad[pin] & PAD_OD) == 0;
    if (gpio_function(gpio, pin) != GPIO_FUNCTION_SIO || !is_output) {
        return GPIO_RELEASED;
    }
    return (gpio->out >> pin & 1) != 0 ? GPIO_DRIVES_HIGH : GPIO_DRIVES_LOW;
}

bool gpio_has_input(const struct gpio *gpio, unsigned pin) {
    return (gpio->pad[pin] & PAD_IE) != 0;
}

bool gpio_has_pull_up(const struct gpio *gpio, unsigned pin) {
    return (gpio->pad[pin] & PAD_PUE) != 0;
}

bool gpio_level(const struct gpio *gpio, unsigned pin) {
    const struct gpio_wire *wire = &gpio->wires[pin];
    enum gpio_drive own = gpio_drive(gpio, pin);
    enum gpio_drive other = wire->level != NULL ? wire->level(wire->owner, pin) : GPIO_RELEASED;
    if (own == GPIO_DRIVES_LOW || other == GPIO_DRIVES_LOW) {
        return false;
    }
    return own == GPIO_DRIVES_HIGH || other == GPIO_DRIVES_HIGH || gpio_has_pull_up(gpio, pin);
}

// ---- Changes ----

// Returns the part of a pin's state that external circuits can observe.
static uint16_t state(const struct gpio *gpio, unsigned pin) {
    unsigned pad = (gpio->pad[pin] & (PAD_IE | PAD_PUE)) << 8;
    return (uint16_t)(pad | gpio->control[pin] << 2 | gpio_drive(gpio, pin));
}

static void tell(struct gpio *gpio) {
    for (unsigned pin = 0; pin < GPIO_COUNT; pin++) {
        uint16_t now = state(gpio, pin);
        const struct gpio_wire *wire = &gpio->wires[pin];
        if (now != gpio->told[pin]) {
            gpio->told[pin] = now;
            if (wire->changed != NULL) {
                wire->changed(wire->owner, pin, gpio->machine->now);
            }
        }
    }
}

void gpio_connect(struct gpio *gpio, unsigned pin, const struct gpio_wire *wire) {
    gpio->wires[pin] = *wire;
}

// ---- SIO ----

static uint32_t read_levels(const struct gpio *gpio) {
    uint32_t levels = 0;
    for (unsigned pin = 0; pin < GPIO_COUNT; pin++) {
        if (gpio_has_input(gpio, pin) && gpio_level(gpio, pin)) {
            levels |= 1u << pin;
        }
    }
    return levels;
}

uint32_t gpio_read_sio(struct gpio *gpio, uint32_t offset) {
    switch (offset) {
    case SIO_CPUID: // core 0
        return 0;
    case SIO_IN:
        return read_levels(gpio);
    case SIO_OUT:
        return gpio->out;
    case SIO_OE:
        return gpio->enable;
    default:
        machine_not_modelled(gpio->machine, "SIO", offset);
    }
}

static uint32_t *sio_target(struct gpio *gpio, uint32_t offset) {
    if (offset < SIO_OUT || offset > SIO_OE_XOR) {
        machine_not_modelled(gpio->machine, "SIO", offset);
    }
    return offset < SIO_OE ? &gpio->out : &gpio->enable;
}

void gpio_write_sio(struct gpio *gpio, uint32_t offset, uint32_t value) {
    uint32_t *target = sio_target(gpio, offset);
    switch (offset) {
    case SIO_OUT_SET:
    case SIO_OE_SET:
        *target |= value & GPIO_ALL;
        break;
    case SIO_OUT_CLR:
    case SIO_OE_CLR:
        *target &= ~value;
        break;
    case SIO_OUT_XOR:
    case SIO_OE_XOR:
        *target ^= value & GPIO_ALL;
        break;
    default:
        *target = value & GPIO_ALL;
        break;
    }
    tell(gpio);
}

// ---- IO_BANK0 ----

static unsigned io_pin(const struct gpio *gpio, uint32_t offset) {
    if (offset % IO_PIN_SIZE != IO_CTRL || offset / IO_PIN_SIZE >= GPIO_COUNT) {
        machine_not_modelled(gpio->machine, "IO_BANK0", offset);
    }
    return offset / IO_PIN_SIZE;
}

static uint32_t read_io(void *owner, uint32_t offset) {
    const struct gpio *gpio = owner;
    return gpio->control[io_pin(gpio, offset)];
}

static void write_io(void *owner, uint32_t offset, uint32_t value) {
    struct gpio *gpio = owner;
    unsigned pin = io_pin(gpio, offset);
    machine_check_bits(gpio->machine, "IO_BANK0", offset, value, FUNCSEL_BITS);
    if (value != GPIO_FUNCTION_I2C && value != GPIO_FUNCTION_SIO && value != GPIO_FUNCTION_NULL) {
        machine_crash(gpio->machine, "function %u of GPIO%u is not modeled", value, pin);
    }
    gpio->control[pin] = value;
    tell(gpio);
}

static void reset_io(void *owner) {
    struct gpio *gpio = owner;
    for (unsigned pin = 0; pin < GPIO_COUNT; pin++) {
        gpio->control[pin] = GPIO_FUNCTION_NULL;
    }
    tell(gpio);
}

// ---- PADS_BANK0 ----

static unsigned pad_pin(const struct gpio *gpio, uint32_t offset) {
    if (offset < PADS_GPIO0 || (offset - PADS_GPIO0) / 4 >= GPIO_COUNT) {
        machine_not_modelled(gpio->machine, "PADS_BANK0", offset);
    }
    return (offset - PADS_GPIO0) / 4;
}

static uint32_t read_pad(void *owner, uint32_t offset) {
    const struct gpio *gpio = owner;
    return gpio->pad[pad_pin(gpio, offset)];
}

static void write_pad(void *owner, uint32_t offset, uint32_t value) {
    struct gpio *gpio = owner;
    unsigned pin = pad_pin(gpio, offset);
    machine_check_bits(gpio->machine, "PADS_BANK0", offset, value, PAD_BITS);
    gpio->pad[pin] = value;
    tell(gpio);
}

static void reset_pads(void *owner) {
    struct gpio *gpio = owner;
    for (unsigned pin = 0; pin < GPIO_COUNT; pin++) {
        gpio->pad[pin] = PAD_RESET;
    }
    tell(gpio);
}

// ---- Set-up ----

void gpio_reset_sio(struct gpio *gpio) {
    gpio->out = 0;
    gpio->enable = 0;
    tell(gpio);
}

void gpio_init(struct gpio *gpio, struct machine *machine) {
    *gpio = (struct gpio){.machine = machine};
    const struct registers io = {.name = "IO_BANK0",
                                 .base = 0x40014000,
                                 .supply = {.resets = RESETS_IO_BANK0},
                                 .read = read_io,
                                 .write = write_io,
                                 .reset = reset_io,
                                 .owner = gpio};
    const struct registers pads = {.name = "PADS_BANK0",
                                   .base = 0x4001C000,
                                   .supply = {.resets = RESETS_PADS_BANK0},
                                   .read = read_pad,
                                   .write = write_pad,
                                   .reset = reset_pads,
                                   .owner = gpio};
    machine_add_registers(machine, &io);
    machine_add_registers(machine, &pads);
    reset_io(gpio);
    reset_pads(gpio);
}
