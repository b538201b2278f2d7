#include "sensor_commands.h"

#include <inttypes.h>

#include "words.h"

#define SENSOR_CLOCK_MIN 900u
#define SENSOR_CLOCK_MAX 1100u

bool sensor_command_power(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    accelerometer_model_power(&board->motion.sensor, chip_time_us(board_now(board)), on);
    return true;
}

bool sensor_command_clock(struct board *board, char *const *words) {
    uint64_t thousandths = 0;
    if (!word_number(words[0], SENSOR_CLOCK_MAX, &thousandths) || thousandths < SENSOR_CLOCK_MIN) {
        return false;
    }
    board->motion.sensor.clock_ratio = (double)thousandths / 1000.0;
    return true;
}

bool sensor_command_id(struct board *board, char *const *words) {
    uint64_t id = 0;
    if (!word_number(words[0], UINT8_MAX, &id)) {
        return false;
    }
    board->motion.sensor.who_am_i = (uint8_t)id;
    return true;
}

bool sensor_command_counters(struct board *board, char *const *words) {
    (void)words;
    const struct accelerometer_model *sensor = &board->motion.sensor;
    trace_line(&board->trace, "sensor undefined %" PRIu32 " samples %" PRIu64 " lost %" PRIu64,
               sensor->undefined_accesses, sensor->samples, sensor->lost);
    return true;
}
