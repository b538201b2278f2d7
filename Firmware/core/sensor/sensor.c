#include "sensor.h"

#if BRIDGE_SENSOR

#include <stddef.h>

#include "../support/compiler.h"
#include "sensor_chips.h"

#define BYTES_PER_SAMPLE 6 /* of three axes */

/* The time between two readings of the FIFO's level: 4 ms, in counts of bridge_time_counts. In this
   time, the fastest chip takes 7 samples, and the smallest FIFO has room for 32. */
#define LEVEL_COUNTS 16

/* The number of consecutive failed transfers after which the sensor is considered lost. */
#define FAILURES_MAX 3

_Static_assert(offsetof(struct sensor, samples) - offsetof(struct sensor, held) == 10,
               "the fields of SAMPLES must be contiguous");

/* The steps. During the search, the number of the step also selects the address. The set-up begins
   with STEP_OFF, which also ends a recording. */
enum sensor_step {
    STEP_SEARCH = 0,
    STEP_IDLE = 4,
    STEP_OFF = 5,
    STEP_LEVEL = STEP_OFF + SENSOR_SET_UP_COUNT,
    STEP_BLOCK,
};

static bool is_over(const struct sensor *sensor) {
    return sensor->recording >= BRIDGE_RECORDING_COMPLETE;
}

/* Returns the number of bytes that the step STEP_LEVEL or STEP_BLOCK reads. */
static uint8_t size_of(const struct sensor *sensor, enum sensor_step step) {
    return bridge_flash_byte(&sensor->chip->steps[step - STEP_OFF][1]);
}

/* ---- Requests ---------------------------------------------------------------------------- */

void sensor_record(struct sensor *sensor, uint8_t axis, bool waits, uint16_t blocks) {
    sensor = BRIDGE_OPTIMIZER_HIDE(sensor);
    sensor->recording = waits ? BRIDGE_RECORDING_ARMED : BRIDGE_RECORDING_RUNNING;
    sensor->step = STEP_OFF;
    sensor->failures = 0;
    uint8_t sample_size = size_of(sensor, STEP_BLOCK) / SENSOR_BLOCK;
    sensor->offset = (uint8_t)(sample_size - BYTES_PER_SAMPLE + axis * BRIDGE_SAMPLE_SIZE);
    sensor->left = blocks;
    sensor->gaps = 0;
    sensor->number = 0;
    sensor->reached = 0;
}

bool sensor_is_busy(const struct sensor *sensor) { return sensor->step > STEP_IDLE; }

/* After this call, a transfer that is in progress does not store its samples. */
BRIDGE_NOINLINE void sensor_end(struct sensor *sensor) {
    if (sensor->recording && !is_over(sensor)) {
        sensor->recording = BRIDGE_RECORDING_ENDED;
    }
}

void sensor_begin_session(struct sensor *sensor) {
    sensor_end(sensor);
    sensor->held = 0;
    if (!sensor->kind) {
        sensor->step = STEP_SEARCH;
    }
}

/* ---- Transfers --------------------------------------------------------------------------- */

/* Determines whether a transfer is due. If a block has waited longer than the time between two
   readings of the level, the level is read again before the block, because reading a block clears
   the report of an overrun. */
BRIDGE_NOINLINE bool sensor_is_due(struct sensor *sensor, uint16_t now) {
    sensor = BRIDGE_OPTIMIZER_HIDE(sensor);
    if (sensor->step < STEP_LEVEL) {
        return sensor->step != STEP_IDLE;
    }
    if (sensor->recording == BRIDGE_RECORDING_ARMED) {
        sensor->due = now; /* times are compared modulo 16 s, but the wait may be longer */
        return false;
    }
    if ((int16_t)(now - sensor->due) >= 0) {
        sensor->step = STEP_LEVEL;
    } else if (sensor->step == STEP_LEVEL || sensor->held >= BRIDGE_SAMPLES_MAX) {
        return false;
    }
    return true;
}

BRIDGE_NOINLINE void sensor_next_transfer(struct sensor *sensor, struct bridge_transfer *transfer,
                                          uint32_t now_us) {
    sensor = BRIDGE_OPTIMIZER_HIDE(sensor);
    transfer = BRIDGE_OPTIMIZER_HIDE(transfer);
    if (sensor_is_busy(sensor) && is_over(sensor)) {
        sensor->step = STEP_OFF;
    }
    uint8_t step = sensor->step;
    transfer->is_read = true;
    transfer->bytes = sensor->block;
    if (step < STEP_IDLE) {
        uint8_t address_byte = step & 2 ? SENSOR_ADDRESS_LSM6 : SENSOR_ADDRESS_LIS;
        sensor->address_byte = step & 1 ? address_byte | 2 : address_byte;
        transfer->reg = SENSOR_WHO_AM_I;
    } else {
        const uint8_t *pair = sensor->chip->steps[step - STEP_OFF];
        if (step < STEP_LEVEL) {
            transfer->is_read = false;
        }
        transfer->reg = bridge_flash_byte(&pair[0]);
        transfer->value = transfer->count = bridge_flash_byte(&pair[1]);
        if (step == STEP_LEVEL) {
            sensor->reached_us = now_us;
        }
    }
    transfer->address_byte = sensor->address_byte;
}

/* ---- Results ----------------------------------------------------------------------------- */

/* Finds the chip that has answered with its WHO_AM_I. */
static void end_search_step(struct sensor *sensor, uint8_t who_am_i) {
    sensor->step++;
    sensor->chip = sensor_chips;
    for (uint8_t kind = 1; kind <= SENSOR_CHIP_COUNT; kind++, sensor->chip++) {
        if (bridge_flash_byte(&sensor->chip->who_am_i) == who_am_i) {
            sensor->kind = kind;
            sensor->step = STEP_IDLE;
            return;
        }
    }
}

/* After a failed block, the number of samples that the FIFO has discarded is unknown. */
static void end_failed_step(struct sensor *sensor) {
    sensor->gaps++;
    if (sensor->step == STEP_BLOCK) {
        sensor->step = STEP_LEVEL;
    }
    if (++sensor->failures == FAILURES_MAX) {
        sensor->recording = BRIDGE_RECORDING_LOST;
        sensor->kind = BRIDGE_SENSOR_NONE;
        sensor->step = STEP_IDLE;
    }
}

/* An overrun in the first reading is not a gap: the FIFO may have been full for a long time. */
static void end_level(struct sensor *sensor, uint8_t value) {
    uint16_t level = value & bridge_flash_byte(&sensor->chip->level_mask);
    if (size_of(sensor, STEP_LEVEL) > 1) {
        level = (uint16_t)(level << 8 | sensor->block[0]);
    }
    if ((value & SENSOR_OVERRUN) && sensor->reached) {
        sensor->gaps++;
    }
    sensor->failures = 0;
    sensor->level = level;
    sensor->reached = (uint16_t)(sensor->number + sensor->held + level);
    if (level >= SENSOR_BLOCK) {
        sensor->step = STEP_BLOCK;
    }
}

/* Stores the recorded axis of both samples of a block. */
static void end_block(struct sensor *sensor, uint8_t last) {
    uint8_t size = size_of(sensor, STEP_BLOCK);
    sensor->block[size - 1] = last;
    if (sensor->recording == BRIDGE_RECORDING_RUNNING) {
        const uint8_t *from = &sensor->block[sensor->offset];
        uint8_t *to = &sensor->samples[(uint8_t)(sensor->held * BRIDGE_SAMPLE_SIZE)];
        do {
            *to++ = from[0];
            *to++ = from[1];
            from += size / SENSOR_BLOCK;
        } while (++sensor->held % SENSOR_BLOCK);
        if (--sensor->left == 0) {
            sensor->recording = BRIDGE_RECORDING_COMPLETE;
        }
    }
    sensor->level -= SENSOR_BLOCK;
    if (sensor->level < SENSOR_BLOCK) {
        sensor->step = STEP_LEVEL;
    }
}

BRIDGE_NOINLINE void sensor_done(struct sensor *sensor, bool ok, uint8_t value, uint16_t now) {
    sensor = BRIDGE_OPTIMIZER_HIDE(sensor);
    uint8_t step = sensor->step;
    if (step < STEP_IDLE) {
        end_search_step(sensor, ok ? value : 0);
    } else if (!ok) {
        end_failed_step(sensor);
    } else if (step == STEP_BLOCK) {
        end_block(sensor, value);
    } else {
        sensor->due = (uint16_t)(now + LEVEL_COUNTS);
        if (step == STEP_LEVEL) {
            end_level(sensor, value);
        } else if (step == STEP_OFF && is_over(sensor)) {
            sensor->step = STEP_IDLE;
        } else {
            sensor->step++;
        }
    }
}

/* ---- Messages ---------------------------------------------------------------------------- */

bool sensor_has_message(const struct sensor *sensor) {
    return sensor->held >= (is_over(sensor) ? 1 : BRIDGE_SAMPLES_MAX);
}

void sensor_forget_samples(struct sensor *sensor) {
    sensor->number = (uint16_t)(sensor->number + sensor->held);
    sensor->held = 0;
}

#endif
