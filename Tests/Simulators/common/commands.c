#define _POSIX_C_SOURCE 200809L // strtok_r
#include "commands.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "sensor_commands.h"
#include "words.h"

#define WORDS_MAX 4u
#define RX_CHUNK 4096u
#define BAUD_MAX 4000000u
#define SUPPLY_MIN_MV 2000u // the minimum supply voltage of the model
#define SUPPLY_MAX_MV 5200u
#define RESONANCE_MAX_HZ 1000u

// ---- Commands. Each function returns false if an argument is invalid. ----

static bool run_rx(struct board *board, char *const *words) {
    uint64_t cycle = 0;
    if (!word_number(words[0], UINT64_MAX >> 16, &cycle) || !word_is_hex(words[1])) {
        return false;
    }
    uint64_t when = cycle > board_now(board) ? cycle : board_now(board);
    const char *digits = words[1];
    while (*digits != '\0') {
        uint8_t bytes[RX_CHUNK];
        size_t size = 0;
        for (; *digits != '\0' && size < RX_CHUNK; digits += 2) {
            bytes[size++] = word_hex_byte(digits);
        }
        board_send(board, when, bytes, size);
    }
    return true;
}

static bool run_run(struct board *board, char *const *words) {
    uint64_t cycle = 0;
    if (!word_number(words[0], UINT64_MAX >> 16, &cycle)) {
        return false;
    }
    board_run(board, cycle);
    trace_line(&board->trace, "at %" PRIu64, cycle);
    return true;
}

static bool run_baud(struct board *board, char *const *words) {
    uint64_t baud = 0;
    if (!word_number(words[0], BAUD_MAX, &baud) || baud == 0) {
        return false;
    }
    board_set_rate(board, (uint32_t)baud);
    return true;
}

static bool run_reset(struct board *board, char *const *words) {
    (void)words;
    board_reset(board);
    return true;
}

static bool run_dtr(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    board_set_dtr(board, on);
    return true;
}

static bool run_power(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    board_set_power(board, on);
    return true;
}

// Updates the chip and the bus after an access to the chip, because the access may have changed the
// drive of the chip or SDA.
static bool chip_done(struct board *board) {
    chip_changed(board->chip, board_now(board));
    i2c_bus_changed(&board->i2c_bus, board_now(board));
    return true;
}

static bool run_chip_nack(struct board *board, char *const *words) {
    uint64_t bytes = 0;
    if (!word_number(words[0], UINT32_MAX, &bytes)) {
        return false;
    }
    drv2605_model_inject_nack(&board->chip->model, (uint32_t)bytes);
    return chip_done(board);
}

static bool run_chip_damage(struct board *board, char *const *words) {
    uint64_t bits = 0;
    if (!word_number(words[0], UINT8_MAX, &bits)) {
        return false;
    }
    drv2605_model_inject_damage(&board->chip->model, (uint8_t)bits);
    return true;
}

static bool run_chip_hold(struct board *board, char *const *words) {
    uint64_t clocks = 0;
    if (!word_number(words[0], UINT8_MAX, &clocks)) {
        return false;
    }
    drv2605_model_inject_bus_held(&board->chip->model, (uint8_t)clocks);
    return chip_done(board);
}

static bool run_chip_stretch(struct board *board, char *const *words) {
    return word_number(words[0], UINT32_MAX, &board->chip->stretch);
}

static bool run_chip_brownout(struct board *board, char *const *words) {
    (void)words;
    uint64_t now_us = chip_time_us(board_now(board));
    drv2605_model_inject_brown_out(&board->chip->model, now_us, now_us);
    return chip_done(board);
}

static bool run_chip_power(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    chip_set_power(board->chip, board_now(board), on);
    return chip_done(board);
}

static bool run_chip_supply(struct board *board, char *const *words) {
    uint64_t millivolts = 0;
    if (!word_number(words[0], SUPPLY_MAX_MV, &millivolts) || millivolts < SUPPLY_MIN_MV) {
        return false;
    }
    board->chip->model.supply_mv = (uint32_t)millivolts;
    return true;
}

static bool run_chip_sag(struct board *board, char *const *words) {
    uint64_t millivolts = 0;
    if (!word_number(words[0], SUPPLY_MAX_MV, &millivolts)) {
        return false;
    }
    board->chip->model.sag_mv = (uint32_t)millivolts;
    return true;
}

static bool run_chip_resonance(struct board *board, char *const *words) {
    uint64_t hertz = 0;
    if (!word_number(words[0], RESONANCE_MAX_HZ, &hertz) || hertz == 0) {
        return false;
    }
    board->chip->model.resonance_millihertz = (uint32_t)hertz * 1000u;
    return true;
}

static bool run_chip_attached(struct board *board, char *const *words) {
    static const char *const choices[] = {"lra", "erm"};
    static const enum drv2605_model_attached meanings[] = {MODEL_ATTACHED_LRA, MODEL_ATTACHED_ERM};
    size_t choice = 0;
    if (!word_choice(words[0], choices, 2, &choice)) {
        return false;
    }
    board->chip->model.attached = meanings[choice];
    return true;
}

static bool run_chip_short(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    drv2605_model_inject_short(&board->chip->model, chip_time_us(board_now(board)), on);
    return chip_done(board);
}

static bool run_chip_hot(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    drv2605_model_inject_over_temperature(&board->chip->model, chip_time_us(board_now(board)), on);
    return chip_done(board);
}

static bool run_chip_calibration(struct board *board, char *const *words) {
    static const char *const choices[] = {"passes", "fails", "never"};
    static const enum drv2605_model_calibration meanings[] = {
        MODEL_CALIBRATION_PASSES, MODEL_CALIBRATION_FAILS, MODEL_CALIBRATION_NEVER_FINISHES};
    size_t choice = 0;
    if (!word_choice(words[0], choices, 3, &choice)) {
        return false;
    }
    board->chip->model.calibration = meanings[choice];
    return true;
}

static bool run_chip_diagnostics(struct board *board, char *const *words) {
    static const char *const choices[] = {"ok", "open", "shorted"};
    static const enum drv2605_model_diagnostics meanings[] = {
        MODEL_DIAGNOSTICS_OK, MODEL_DIAGNOSTICS_OPEN, MODEL_DIAGNOSTICS_SHORTED};
    size_t choice = 0;
    if (!word_choice(words[0], choices, 3, &choice)) {
        return false;
    }
    board->chip->model.diagnostics = meanings[choice];
    return true;
}

static bool run_chip_enable(struct board *board, char *const *words) {
    static const char *const choices[] = {"pin", "high", "low"};
    static const enum chip_enable_wire meanings[] = {CHIP_ENABLE_PIN, CHIP_ENABLE_HIGH,
                                                     CHIP_ENABLE_LOW};
    size_t choice = 0;
    if (!word_choice(words[0], choices, 3, &choice)) {
        return false;
    }
    board->chip->enable_wire = meanings[choice];
    chip_enable_rewired(board->chip, board_now(board));
    return true;
}

static bool run_chip_counters(struct board *board, char *const *words) {
    (void)words;
    const struct drv2605_model *model = &board->chip->model;
    trace_line(&board->trace,
               "chip undefined %" PRIu32 " stale %" PRIu32 " unmodelled %" PRIu32
               " stalled %" PRIu32 " otp %d",
               model->undefined_accesses, model->stale_rtp_starts, model->unmodelled_modes,
               model->stalled_transfers, model->otp_programmed);
    return true;
}

// Sets or clears a fault of the wires on the chip's channel behind the multiplexer.
static bool run_chip_stuck(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    unsigned chip = (unsigned)(board->chip - board->chips);
    i2c_bus_set_channel_stuck(&board->i2c_bus, board_now(board), chip, on);
    return true;
}

static bool run_bus_stuck(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    i2c_bus_set_stuck(&board->i2c_bus, board_now(board), on);
    return true;
}

static bool run_bus_weak(struct board *board, char *const *words) {
    return word_switch(words[0], &board->i2c_bus.is_weak);
}

static bool run_bus_swapped(struct board *board, char *const *words) {
    return word_switch(words[0], &board->i2c_bus.is_swapped);
}

static bool run_bus_misled(struct board *board, char *const *words) {
    uint64_t bits = 0;
    if (!word_number(words[0], UINT8_MAX, &bits)) {
        return false;
    }
    tca9548a_model_inject_damage(&board->i2c_bus.mux, (uint8_t)bits);
    return true;
}

static bool run_jumper(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    board_set_jumper(board, on);
    return true;
}

static bool run_led(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "led %" PRIu64, lamp_lit(&board->lamp, board_now(board)));
    return true;
}

static const struct command commands[] = {
    {{"rx"}, 2, run_rx, "rx CYCLE HEX"},
    {{"run"}, 1, run_run, "run CYCLE"},
    {{"baud"}, 1, run_baud, "baud RATE"},
    {{"reset"}, 0, run_reset, "reset"},
    {{"dtr"}, 1, run_dtr, "dtr off | on"},
    {{"power"}, 1, run_power, "power off | on"},
    {{"chip", "damage"}, 1, run_chip_damage, "chip damage BITS"},
    {{"chip", "nack"}, 1, run_chip_nack, "chip nack BYTES"},
    {{"chip", "hold"}, 1, run_chip_hold, "chip hold CLOCKS"},
    {{"chip", "stretch"}, 1, run_chip_stretch, "chip stretch CYCLES"},
    {{"chip", "brownout"}, 0, run_chip_brownout, "chip brownout"},
    {{"chip", "power"}, 1, run_chip_power, "chip power off | on"},
    {{"chip", "supply"}, 1, run_chip_supply, "chip supply MILLIVOLTS"},
    {{"chip", "sag"}, 1, run_chip_sag, "chip sag MILLIVOLTS"},
    {{"chip", "resonance"}, 1, run_chip_resonance, "chip resonance HERTZ"},
    {{"chip", "attached"}, 1, run_chip_attached, "chip attached lra | erm"},
    {{"chip", "short"}, 1, run_chip_short, "chip short on | off"},
    {{"chip", "hot"}, 1, run_chip_hot, "chip hot on | off"},
    {{"chip", "calibration"}, 1, run_chip_calibration, "chip calibration passes | fails | never"},
    {{"chip", "diagnostics"}, 1, run_chip_diagnostics, "chip diagnostics ok | open | shorted"},
    {{"chip", "stuck"}, 1, run_chip_stuck, "chip stuck off | on"},
    {{"chip", "enable"}, 1, run_chip_enable, "chip enable pin | high | low"},
    {{"chip", "counters"}, 0, run_chip_counters, "chip counters"},
    {{"bus", "stuck"}, 1, run_bus_stuck, "bus stuck on | off"},
    {{"bus", "weak"}, 1, run_bus_weak, "bus weak on | off"},
    {{"bus", "swapped"}, 1, run_bus_swapped, "bus swapped on | off"},
    {{"bus", "misled"}, 1, run_bus_misled, "bus misled BITS"},
    {{"sensor", "power"}, 1, sensor_command_power, "sensor power off | on"},
    {{"sensor", "clock"}, 1, sensor_command_clock, "sensor clock THOUSANDTHS"},
    {{"sensor", "id"}, 1, sensor_command_id, "sensor id BYTE"},
    {{"sensor", "counters"}, 0, sensor_command_counters, "sensor counters"},
    {{"jumper"}, 1, run_jumper, "jumper off | on"},
    {{"led"}, 0, run_led, "led"},
    {{NULL}, 0, NULL, NULL},
};

// ---- Lines ----

static size_t split(char *line, char **words) {
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r\n", &rest); word != NULL && count < WORDS_MAX + 1;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        words[count++] = word;
    }
    return count;
}

static size_t name_words(const struct command *command) { return command->names[1] ? 2 : 1; }

static const struct command *find(const struct command *table, char *const *words, size_t count) {
    for (const struct command *command = table; command->run != NULL; command++) {
        if (count >= name_words(command) && strcmp(words[0], command->names[0]) == 0 &&
            (name_words(command) == 1 || strcmp(words[1], command->names[1]) == 0)) {
            return command;
        }
    }
    return NULL;
}

// Removes the chip number from the words of a command. Without a number, the command applies to the
// first chip.
static bool choose_chip(struct board *board, char **words, size_t *count) {
    board->chip = board->chips;
    if (*count < 2 || strcmp(words[0], "chip") != 0 || !isdigit((unsigned char)words[1][0])) {
        return true;
    }
    uint64_t number = 0;
    if (!word_number(words[1], board->i2c_bus.count - 1, &number)) {
        return false;
    }
    board->chip = &board->chips[number];
    (*count)--;
    memmove(&words[1], &words[2], (*count - 1) * sizeof words[0]);
    return true;
}

const char *command_obey(struct board *board, char *line) {
    char *words[WORDS_MAX + 1];
    size_t count = split(line, words);
    if (count == 0) {
        return NULL;
    }
    if (!choose_chip(board, words, &count)) {
        return "the number of a chip on the board";
    }
    const struct command *command = find(commands, words, count);
    if (command == NULL) {
        command = find(board_commands, words, count);
    }
    if (command == NULL) {
        return "a command of the board";
    }
    size_t names = name_words(command);
    bool is_right = count == names + command->words && command->run(board, &words[names]);
    return is_right ? NULL : command->form;
}
