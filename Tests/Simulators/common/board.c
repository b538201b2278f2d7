#include "board.h"

bool board_init(struct board *board, const struct options *options, FILE *trace) {
    board->trace.out = trace;
    board->options = options;
    schedule_init(&board->schedule);
    return board_init_parts(board);
}

void board_init_chips(struct board *board) {
    const struct options *options = board->options;
    unsigned count = options->actuators;
    motion_model_init(&board->motion, options->sensor, 0);
    accelerometer_model_power(&board->motion.sensor, 0, false);
    for (unsigned index = 0; index < count; index++) {
        chip_init(&board->chips[index], &board->schedule, &board->trace,
                  count == 1 ? -1 : (int)index, options->device_id, options->has_driver);
        board->chips[index].motion = &board->motion;
    }
    board->chip = board->chips;
    i2c_bus_init(&board->i2c_bus, board->chips, count, &board->trace, &board->vcd);
    board->i2c_bus.sensor = &board->motion.sensor;
}

void board_set_chip_power(struct board *board, bool on) {
    i2c_bus_set_power(&board->i2c_bus, on);
    accelerometer_model_power(&board->motion.sensor, chip_time_us(board_now(board)), on);
    for (unsigned index = 0; index < board->i2c_bus.count; index++) {
        chip_set_board_power(&board->chips[index], board_now(board), on);
    }
}

void board_set_power(struct board *board, bool on) {
    if (on != board->has_power) {
        board->has_power = on;
        board_power_changed(board);
    }
}
