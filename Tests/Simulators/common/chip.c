#include "chip.h"

#include "clock.h"

#include <inttypes.h>

uint64_t chip_time_us(uint64_t when) { return when / CYCLES_PER_US; }

void chip_changed(struct chip *chip, uint64_t when) {
    uint64_t now_us = chip_time_us(when);
    int16_t drive = drv2605_model_drive(&chip->model, now_us);
    unsigned actuator = chip->number < 0 ? 0 : (unsigned)chip->number;
    if (chip->motion != NULL && chip->motion->sensor.kind != ACCELEROMETER_NONE && drive != 0) {
        motion_model_connect(chip->motion, now_us, actuator,
                             drv2605_model_has_lra(&chip->model, now_us),
                             drv2605_model_is_closed_loop(&chip->model, now_us));
        uint32_t carrier_mhz = drv2605_model_carrier_millihertz(&chip->model, now_us);
        motion_model_tune(chip->motion, now_us, actuator, carrier_mhz / 1000.0);
    }
    if (drive != chip->drive) {
        chip->drive = drive;
        if (chip->motion != NULL) {
            motion_model_drive(chip->motion, now_us, actuator, drive);
        }
        if (chip->number < 0) {
            trace_line(chip->trace, "drive %" PRIu64 " %d", when, drive);
        } else {
            trace_line(chip->trace, "drive %" PRIu64 " %d %d", when, drive, chip->number);
        }
    }
    uint64_t next_us = drv2605_model_next_change_us(&chip->model, now_us);
    bool never = next_us == MODEL_NEVER;
    schedule_at(chip->schedule, &chip->change, never ? SCHEDULE_NEVER : next_us * CYCLES_PER_US);
}

static void on_change(void *owner, uint64_t when) { chip_changed(owner, when); }

static void set_power(struct chip *chip, uint64_t when) {
    bool on = chip->is_fitted && chip->board_has_power && chip->has_power;
    drv2605_model_power(&chip->model, chip_time_us(when), on);
    chip_changed(chip, when);
}

void chip_init(struct chip *chip, struct schedule *schedule, const struct trace *trace, int number,
               uint8_t device_id, bool is_fitted) {
    *chip = (struct chip){.schedule = schedule,
                          .trace = trace,
                          .number = number,
                          .is_fitted = is_fitted,
                          .has_power = true};
    schedule_add(schedule, &chip->change, on_change, chip);
    drv2605_model_init(&chip->model, device_id, 0);
    set_power(chip, 0);
}

void chip_set_board_power(struct chip *chip, uint64_t when, bool on) {
    chip->board_has_power = on;
    set_power(chip, when);
}

void chip_set_power(struct chip *chip, uint64_t when, bool on) {
    chip->has_power = on;
    set_power(chip, when);
}

void chip_enable(struct chip *chip, uint64_t when, bool high) {
    chip->is_enable_pin_high = high;
    chip_enable_rewired(chip, when);
}

void chip_enable_rewired(struct chip *chip, uint64_t when) {
    bool high = chip->enable_wire == CHIP_ENABLE_PIN ? chip->is_enable_pin_high
                                                     : chip->enable_wire == CHIP_ENABLE_HIGH;
    drv2605_model_enable(&chip->model, chip_time_us(when), high);
    chip_changed(chip, when);
}

bool chip_start(struct chip *chip, uint64_t when, uint8_t address_byte) {
    bool acknowledged = drv2605_model_start(&chip->model, chip_time_us(when), address_byte);
    chip_changed(chip, when);
    return acknowledged;
}

bool chip_write(struct chip *chip, uint64_t when, uint8_t byte) {
    bool acknowledged = drv2605_model_write_byte(&chip->model, chip_time_us(when), byte);
    chip_changed(chip, when);
    return acknowledged;
}

uint8_t chip_read(struct chip *chip, uint64_t when) {
    uint8_t byte = drv2605_model_read_byte(&chip->model, chip_time_us(when));
    chip_changed(chip, when);
    return byte;
}

void chip_stop(struct chip *chip, uint64_t when) {
    drv2605_model_stop(&chip->model, chip_time_us(when));
    chip_changed(chip, when);
}

uint8_t chip_next_byte(const struct chip *chip, uint64_t when) {
    bool is_read = chip->model.selected && chip->model.reading;
    return is_read ? drv2605_model_register(&chip->model, chip_time_us(when), chip->model.pointer)
                   : 0xFF;
}

bool chip_holds_sda(const struct chip *chip) {
    return chip->model.powered && drv2605_model_is_bus_held(&chip->model);
}
