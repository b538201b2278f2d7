/* Performs the steps of a file with the C client: steps FILE */
#include "../../Clients/c/haptic_bridge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The time, in seconds, between the sending of a command and its due time. */
#define LEAD 0.15

static struct haptic_engine engine;
static uint32_t players[32];
/* The time on the engine's clock that corresponds to time 0 of the steps. */
static double origin;

static void check(int code, const char *what) {
    if (code == 0)
        return;
    fprintf(stderr, "%s: %s\n%s\n", what, engine.error.reason, engine.error.advice);
    exit(1);
}

/* Waits. Meanwhile, sends keep-alive messages to the server. */
static void wait_until(double time) {
    struct haptic_event event;
    double rest;
    while ((rest = time - haptic_current_time()) > 0) {
        check(haptic_engine_poll(&engine, (int)(rest * 1000) + 1, &event), "poll");
    }
}

static uint32_t make_player(const char *steps, const char *kind, const char *name) {
    char path[1024];
    if (strcmp(kind, "named") == 0) {
        const char *ahap = haptic_named_pattern(name);
        return ahap ? haptic_engine_make_player(&engine, ahap, strlen(ahap), NULL) : 0;
    }
    const char *slash = strrchr(steps, '/');
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - steps + 1) : 0, steps, name);
    return haptic_engine_make_player_of_file(&engine, path, NULL);
}

/* Sends 1,000 parameters per second. */
static int load(uint32_t player, double seconds) {
    double begin = haptic_current_time();
    int code = 0;
    for (int call = 0; code == 0 && call < seconds * 1000; call++) {
        wait_until(begin + call / 1000.0);
        code = haptic_player_send_parameter(&engine, player, "HapticIntensityControl",
                                            0.5 + 0.4 * sin(call / 160.0), 0);
    }
    return code;
}

static void perform(const char *steps, char **words, int count, double time) {
    unsigned number = (unsigned)atoi(words[1]) % 32;
    uint32_t player = players[number];
    double value = count > 2 ? atof(words[count - 1]) : 0, points[8][2];
    const char *command = words[0];
    int code = 0;
    if (strcmp(command, "player") == 0) {
        players[number] = make_player(steps, words[2], words[3]);
        code = players[number] ? 0 : -1;
    } else if (strcmp(command, "call") == 0) {
        printf("%f\n", haptic_current_time() - origin);
        code = haptic_player_start(&engine, player, 0, 0);
    } else if (strcmp(command, "load") == 0) {
        code = load(player, value);
    } else if (strcmp(command, "start") == 0) {
        code = haptic_player_start(&engine, player, time, value);
    } else if (strcmp(command, "stop") == 0) {
        code = haptic_player_stop(&engine, player, time);
    } else if (strcmp(command, "pause") == 0) {
        code = haptic_player_pause(&engine, player, time);
    } else if (strcmp(command, "resume") == 0) {
        code = haptic_player_resume(&engine, player, time);
    } else if (strcmp(command, "parameter") == 0) {
        code = haptic_player_send_parameter(&engine, player, words[2], value, time);
    } else if (strcmp(command, "curve") == 0) {
        int total = 0;
        for (int i = 3; i + 1 < count && total < 8; i += 2, total++) {
            points[total][0] = atof(words[i]);
            points[total][1] = atof(words[i + 1]);
        }
        code = haptic_player_schedule_curve(&engine, player, words[2], (const double(*)[2])points,
                                            (size_t)total, time);
    } else if (strcmp(command, "rate") == 0) {
        code = haptic_player_set_rate(&engine, player, value);
    } else if (strcmp(command, "loop") == 0) {
        code = haptic_player_set_loop(&engine, player, true, value);
    } else if (strcmp(command, "mute") == 0) {
        code = haptic_player_set_muted(&engine, player, value != 0);
    } else if (strcmp(command, "seek") == 0) {
        code = haptic_player_seek(&engine, player, value);
    } else if (strcmp(command, "cancel") == 0) {
        code = haptic_player_cancel(&engine, player);
    } else if (strcmp(command, "finish") == 0) {
        code = haptic_engine_wait(&engine, player, 10000);
    } else {
        code = -1;
    }
    check(code, command);
}

int main(int argument_count, char **arguments) {
    char line[512], *words[32];
    FILE *file = argument_count == 2 ? fopen(arguments[1], "r") : NULL;
    if (!file)
        return 64;
    check(haptic_engine_start(&engine, NULL), "start");
    origin = haptic_current_time() + 0.5;
    while (fgets(line, sizeof line, file)) {
        int count = 0, first = 0;
        for (char *word = strtok(line, " \n"); word && count < 32; word = strtok(NULL, " \n")) {
            words[count++] = word;
        }
        if (count == 0 || words[0][0] == '#' || strcmp(words[0], "due") == 0)
            continue;
        double time = 0;
        if (strchr("0123456789", words[0][0])) {
            time = origin + atof(words[0]);
            wait_until(time - (strcmp(words[1], "call") == 0 ? 0 : LEAD));
            first = 1;
        }
        perform(arguments[1], words + first, count - first, time);
    }
    fclose(file);
    haptic_engine_stop(&engine);
    return 0;
}
