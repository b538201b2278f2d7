#define _POSIX_C_SOURCE 200809L // strtok_r
#include "commands.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "words.h"

#define WORDS_MAX 4u
#define BAUD_MAX 4000000u
#define SUPPLY_MIN_MV 2000u // of the model
#define SUPPLY_MAX_MV 5200u
#define DATA_SIZE (RAMEND + 1u)

// ---- Commands: each returns false if its words are not right ----

typedef bool command_run(struct board *board, char *const *words);

static bool run_rx(struct board *board, char *const *words) {
    uint64_t cycle = 0;
    if (!word_number(words[0], UINT64_MAX >> 16, &cycle) || !word_is_hex(words[1])) {
        return false;
    }
    uint64_t when = cycle > board->mcu.now ? cycle : board->mcu.now;
    for (const char *digits = words[1]; *digits != '\0'; digits += 2) {
        host_send(&board->host, when, word_hex_byte(digits));
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
    host_set_rate(&board->host, (uint32_t)baud);
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

static bool run_hang(struct board *board, char *const *words) {
    static const char *const choices[] = {"irq-on", "irq-off"};
    size_t choice = 0;
    if (!word_choice(words[0], choices, 2, &choice)) {
        return false;
    }
    mcu_hang(&board->mcu, choice == 0 ? MCU_HANGS_WITH_INTERRUPTS : MCU_HANGS_WITHOUT_INTERRUPTS);
    return true;
}

// Whatever was done to the chip may move its drive, or SDA.
static bool chip_done(struct board *board) {
    chip_changed(board->chip, board->mcu.now);
    i2c_bus_changed(&board->i2c_bus, board->mcu.now);
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
    uint64_t now_us = chip_time_us(board->mcu.now);
    drv2605_model_inject_brown_out(&board->chip->model, now_us, now_us);
    return chip_done(board);
}

static bool run_chip_power(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    chip_set_power(board->chip, board->mcu.now, on);
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

static bool run_chip_short(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    drv2605_model_inject_short(&board->chip->model, chip_time_us(board->mcu.now), on);
    return chip_done(board);
}

static bool run_chip_hot(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    drv2605_model_inject_over_temperature(&board->chip->model, chip_time_us(board->mcu.now), on);
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

// The wires of the chip's channel behind the mux.
static bool run_chip_stuck(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    unsigned chip = (unsigned)(board->chip - board->chips);
    i2c_bus_set_channel_stuck(&board->i2c_bus, board->mcu.now, chip, on);
    return true;
}

static bool run_bus_stuck(struct board *board, char *const *words) {
    bool on = false;
    if (!word_switch(words[0], &on)) {
        return false;
    }
    i2c_bus_set_stuck(&board->i2c_bus, board->mcu.now, on);
    return true;
}

static bool run_eeprom_worn(struct board *board, char *const *words) {
    uint64_t address = 0;
    if (!word_number(words[0], EEPROM_SIZE - 1, &address)) {
        return false;
    }
    board->eeprom.worn[address] = true;
    return true;
}

static bool run_jumper(struct board *board, char *const *words) {
    return word_switch(words[0], &board->ports.has_jumper);
}

static bool run_peek(struct board *board, char *const *words) {
    uint64_t address = 0;
    uint64_t count = 0;
    if (!word_number(words[0], DATA_SIZE - 1, &address) ||
        !word_number(words[1], DATA_SIZE - address, &count)) {
        return false;
    }
    char hex[2 * DATA_SIZE + 1] = "";
    for (uint64_t index = 0; index < count; index++) {
        snprintf(&hex[2 * index], 3, "%02X", board->mcu.data[address + index]);
    }
    trace_line(&board->trace, "data %" PRIu64 " %s", address, hex);
    return true;
}

static bool run_poke(struct board *board, char *const *words) {
    uint64_t address = 0;
    uint64_t value = 0;
    if (!word_number(words[0], DATA_SIZE - 1, &address) ||
        !word_number(words[1], UINT8_MAX, &value)) {
        return false;
    }
    mcu_poke(&board->mcu, (uint16_t)address, (uint8_t)value);
    return true;
}

static bool run_stack(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "stack %u", RAMEND - board->mcu.lowest_stack);
    return true;
}

static bool run_step(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "step %" PRIu64, board->step_mark.longest);
    return true;
}

static bool run_idle(struct board *board, char *const *words) {
    (void)words;
    trace_line(&board->trace, "idle %" PRIu64, board->mcu.slept);
    return true;
}

struct command {
    const char *names[2]; // one or two words
    unsigned words;       // that follow
    command_run *run;
    const char *form;
};

static const struct command commands[] = {
    {{"rx"}, 2, run_rx, "rx CYCLE HEX"},
    {{"run"}, 1, run_run, "run CYCLE"},
    {{"baud"}, 1, run_baud, "baud RATE"},
    {{"reset"}, 0, run_reset, "reset"},
    {{"dtr"}, 1, run_dtr, "dtr off | on"},
    {{"power"}, 1, run_power, "power off | on"},
    {{"hang"}, 1, run_hang, "hang irq-on | irq-off"},
    {{"chip", "nack"}, 1, run_chip_nack, "chip nack BYTES"},
    {{"chip", "hold"}, 1, run_chip_hold, "chip hold CLOCKS"},
    {{"chip", "stretch"}, 1, run_chip_stretch, "chip stretch CYCLES"},
    {{"chip", "brownout"}, 0, run_chip_brownout, "chip brownout"},
    {{"chip", "power"}, 1, run_chip_power, "chip power off | on"},
    {{"chip", "supply"}, 1, run_chip_supply, "chip supply MILLIVOLTS"},
    {{"chip", "short"}, 1, run_chip_short, "chip short on | off"},
    {{"chip", "hot"}, 1, run_chip_hot, "chip hot on | off"},
    {{"chip", "calibration"}, 1, run_chip_calibration, "chip calibration passes | fails | never"},
    {{"chip", "diagnostics"}, 1, run_chip_diagnostics, "chip diagnostics ok | open | shorted"},
    {{"chip", "stuck"}, 1, run_chip_stuck, "chip stuck off | on"},
    {{"chip", "counters"}, 0, run_chip_counters, "chip counters"},
    {{"bus", "stuck"}, 1, run_bus_stuck, "bus stuck on | off"},
    {{"eeprom", "worn"}, 1, run_eeprom_worn, "eeprom worn ADDRESS"},
    {{"jumper"}, 1, run_jumper, "jumper off | on"},
    {{"peek"}, 2, run_peek, "peek ADDRESS COUNT"},
    {{"poke"}, 2, run_poke, "poke ADDRESS BYTE"},
    {{"stack"}, 0, run_stack, "stack"},
    {{"idle"}, 0, run_idle, "idle"},
    {{"step"}, 0, run_step, "step"},
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

static const struct command *find_command(char *const *words, size_t count, size_t *name_words) {
    for (size_t index = 0; index < sizeof commands / sizeof commands[0]; index++) {
        const struct command *command = &commands[index];
        *name_words = command->names[1] == NULL ? 1 : 2;
        if (count >= *name_words && strcmp(words[0], command->names[0]) == 0 &&
            (*name_words == 1 || strcmp(words[1], command->names[1]) == 0)) {
            return command;
        }
    }
    return NULL;
}

// Takes the number of a chip out of the words; without one it is the first.
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
    size_t name_words = 0;
    const struct command *command = find_command(words, count, &name_words);
    if (command == NULL) {
        return "a command of the board";
    }
    bool is_right = count == name_words + command->words && command->run(board, &words[name_words]);
    return is_right ? NULL : command->form;
}
