/*
 * The accelerometer that senses what the actuators move (SPEC 11): its search, its set-up, and the
 * reading of its FIFO.
 *
 * The code makes single transfers, as a driver does: the bus requests the next transfer and reports
 * its result, and no function waits. Each supported chip is a row in the table in sensor_chips.h.
 * Builds with BRIDGE_SENSOR 0 do not contain this code.
 */
#ifndef BRIDGE_SENSOR_H
#define BRIDGE_SENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "../bus/transfer.h"
#include "../support/limits.h"

#if BRIDGE_SENSOR

/** The number of samples in a block, which one transfer reads. A block occupies the bus for at most
    450 us. A recording can therefore delay a transfer whose time is not known in advance, such as
   the transfer for a STOP, by at most this time. */
#define SENSOR_BLOCK 2

/** The maximum size of a block in bytes, rounded up to the alignment of struct sensor. A block has
    at most two tags and two samples. */
#define SENSOR_BLOCK_SIZE 16

/** The number of registers that the set-up writes. */
#define SENSOR_SET_UP_COUNT 6

/** A supported chip, as a row in the table in sensor_chips.h. */
struct sensor_chip {
    uint8_t who_am_i;
    uint8_t level_mask; /**< the bits in the last byte of the level that belong to the level */
    /** The steps of a recording. A set-up step is a register and its value; the first set-up step
        switches the chip off, and the last set-up step selects the rate, after the FIFO has been
        emptied and started. The last two steps read the level and a block; such a step is the first
        register and the number of bytes. The last six bytes of a sample are x, y and z. */
    uint8_t steps[SENSOR_SET_UP_COUNT + 2][2];
};

/** The state of the sensor. If the struct is all zeros, the search is the first step. */
struct sensor {
    uint8_t kind;      /**< enum bridge_sensor_kind */
    uint8_t recording; /**< enum bridge_recording */
    uint8_t reported;  /**< the value of `recording` that the host knows */
    uint8_t step;      /**< enum sensor_step */
    uint8_t address_byte;
    uint8_t failures; /**< number of consecutive failed transfers */
    uint8_t offset;   /**< the offset of the recorded axis in the first sample of a block */
    uint16_t level;   /**< number of unread samples in the FIFO */
    uint16_t left;    /**< number of blocks that are still to be recorded */
    uint16_t due;     /**< the time of the next reading of the level, in bridge_time_counts */
    const struct sensor_chip *chip;   /**< in program memory; valid if `kind` is not 0 */
    uint8_t block[SENSOR_BLOCK_SIZE]; /**< the bytes of a transfer */
    uint8_t held; /**< number of samples; from here on, the fields of SAMPLES in the order of the
                     message, without padding */
    uint8_t gaps;
    uint16_t number;
    uint32_t reached_us;
    uint16_t reached;
    uint8_t samples[BRIDGE_SAMPLES_MAX * BRIDGE_SAMPLE_SIZE]; /**< the last field of SAMPLES */
};

/** Begins a recording of an axis, 0 to 2, with a number of blocks. The sensor must be idle. */
void sensor_record(struct sensor *sensor, uint8_t axis, bool waits, uint16_t blocks);

/** Ends the recording, if there is one. */
void sensor_end(struct sensor *sensor);

/** True during a recording, and afterwards until the sensor has been switched off. */
bool sensor_is_busy(const struct sensor *sensor);

/** Ends and discards the recording of an earlier session. Searches again if no sensor is known. */
void sensor_begin_session(struct sensor *sensor);

/** Returns true if the sensor has a transfer to make now. The result of the previous transfer must
    have been read before this call. */
bool sensor_is_due(struct sensor *sensor, uint16_t now);

/** Fills in the next transfer. `now_us` is the time at which the transfer starts. */
void sensor_next_transfer(struct sensor *sensor, struct bridge_transfer *transfer, uint32_t now_us);

/** Handles the result of the transfer that sensor_next_transfer filled in. */
void sensor_done(struct sensor *sensor, bool ok, uint8_t value, uint16_t now);

/** True if the held samples must be sent now. */
bool sensor_has_message(const struct sensor *sensor);

/** Discards the held samples after a message has been composed from them. */
void sensor_forget_samples(struct sensor *sensor);

#endif

#endif
