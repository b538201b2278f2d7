#include "wiring.h"

#include <inttypes.h>

static bool is_high(const struct wiring *wiring, unsigned chip) {
    return gpio_drive(&wiring->machine->gpio, wiring->pins.enable[chip]) == GPIO_DRIVES_HIGH;
}

static void drive_enable(struct wiring *wiring) {
    uint64_t now = wiring->machine->now;
    for (unsigned index = 0; index < wiring->bus->count; index++) {
        bool on = is_high(wiring, index);
        if (on == (wiring->enabled >> index & 1)) {
            continue;
        }
        wiring->enabled ^= (uint8_t)(1u << index);
        if (wiring->bus->count == 1) {
            trace_line(wiring->machine->trace, "pin %" PRIu64 " EN %d", now, on);
        } else {
            trace_line(wiring->machine->trace, "pin %" PRIu64 " EN%u %d", now, index, on);
        }
        chip_enable(&wiring->bus->chips[index], now, on);
    }
}

// Connects the pins to the I2C unit. The inputs of SDA and SCL must be enabled, because the unit
// samples the two wires. A wire is low if any pin holds it low, even if another pin drives it high.
static void drive_bus(struct wiring *wiring) {
    const struct gpio *gpio = &wiring->machine->gpio;
    unsigned sda = wiring->pins.sda;
    unsigned scl = wiring->pins.scl;
    bool has_unit = gpio_function(gpio, sda) == GPIO_FUNCTION_I2C &&
                    gpio_function(gpio, scl) == GPIO_FUNCTION_I2C;
    if (has_unit && (!gpio_has_input(gpio, sda) || !gpio_has_input(gpio, scl))) {
        machine_crash(wiring->machine, "an I2C pin has its input disabled (PADS IE)");
    }
    uint64_t now = wiring->machine->now;
    struct i2c_pulls pulls = {.scl = gpio_drive(gpio, scl) == GPIO_DRIVES_LOW,
                              .sda = gpio_drive(gpio, sda) == GPIO_DRIVES_LOW};
    dw_i2c_connect(&wiring->units[wiring->pins.i2c], has_unit);
    i2c_bus_set_pins(wiring->bus, now, pulls);
    if (has_unit != wiring->bus->has_controller) {
        i2c_bus_connect_controller(wiring->bus, now, has_unit);
    }
}

static void on_enable(void *owner, unsigned pin, uint64_t when) {
    (void)pin;
    (void)when;
    drive_enable(owner);
}

static void on_bus_pin(void *owner, unsigned pin, uint64_t when) {
    (void)pin;
    (void)when;
    drive_bus(owner);
}

static void drive_lamp(struct wiring *wiring) {
    const struct machine *machine = wiring->machine;
    unsigned led = wiring->pins.led;
    bool is_high = led != PINS_NONE && gpio_drive(&machine->gpio, led) == GPIO_DRIVES_HIGH;
    lamp_set(wiring->lamp, machine->now, is_high);
}

static void on_led(void *owner, unsigned pin, uint64_t when) {
    (void)pin;
    (void)when;
    drive_lamp(owner);
}

// Returns the effect of the external pull-ups.
static enum gpio_drive bus_level(void *owner, unsigned pin) {
    const struct wiring *wiring = owner;
    bool level = pin == wiring->pins.scl ? i2c_bus_scl(wiring->bus) : i2c_bus_sda(wiring->bus);
    return level ? GPIO_DRIVES_HIGH : GPIO_DRIVES_LOW;
}

static enum gpio_drive jumper_level(void *owner, unsigned pin) {
    (void)pin;
    const struct wiring *wiring = owner;
    return wiring->has_jumper ? GPIO_DRIVES_LOW : GPIO_RELEASED;
}

static void on_bus_change(void *owner, uint64_t when) {
    struct wiring *wiring = owner;
    dw_i2c_bus_changed(&wiring->units[wiring->pins.i2c], when);
}

void wiring_init(struct wiring *wiring, struct machine *machine, struct i2c_bus *bus,
                 struct lamp *lamp, struct dw_i2c units[2]) {
    *wiring = (struct wiring){.machine = machine, .bus = bus, .lamp = lamp, .units = units};
    bus->changed = on_bus_change;
    bus->owner = wiring;
}

void wiring_connect(struct wiring *wiring, const struct pins_block *pins) {
    struct gpio *gpio = &wiring->machine->gpio;
    for (unsigned pin = 0; pin < GPIO_COUNT; pin++) {
        gpio_connect(gpio, pin, &(struct gpio_wire){0});
    }
    wiring->pins = *pins;
    for (unsigned chip = 0; chip < wiring->bus->count; chip++) {
        gpio_connect(gpio, pins->enable[chip],
                     &(struct gpio_wire){.changed = on_enable, .owner = wiring});
    }
    const struct gpio_wire bus = {.level = bus_level, .changed = on_bus_pin, .owner = wiring};
    gpio_connect(gpio, pins->sda, &bus);
    gpio_connect(gpio, pins->scl, &bus);
    if (pins->jumper != PINS_NONE) {
        gpio_connect(gpio, pins->jumper,
                     &(struct gpio_wire){.level = jumper_level, .owner = wiring});
    }
    if (pins->led != PINS_NONE) {
        gpio_connect(gpio, pins->led, &(struct gpio_wire){.changed = on_led, .owner = wiring});
    }
    drive_enable(wiring);
    drive_lamp(wiring);
    drive_bus(wiring);
}
