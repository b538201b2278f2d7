/* A slider that can be felt: each line of the standard input contains a value from 0 to 1, which
   becomes the level. */
#include "../haptic_bridge.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a duration, the event plays until it is stopped. */
static const char level[] =
    "{\"Pattern\":[{\"Event\":{\"EventType\":\"HapticContinuous\",\"Time\":0,"
    "\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\","
    "\"ParameterValue\":1}]}}]}";

/* Returns whether a line can be read. The function also polls the engine, to show the server that
 * this program is alive. */
static bool has_line(struct haptic_engine *engine, int *code) {
    struct haptic_event event;
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    *code = haptic_engine_poll(engine, 0, &event);
    return poll(&input, 1, 20) > 0;
}

int main(void) {
    static struct haptic_engine engine;
    char line[64];
    setvbuf(stdin, NULL, _IONBF, 0);
    int code = haptic_engine_start(&engine, NULL);
    uint32_t player = 0;
    if (code == 0)
        player = haptic_engine_make_player(&engine, level, strlen(level), NULL);
    if (player) {
        haptic_player_send_parameter(&engine, player, "HapticIntensityControl", 0, 0);
        code = haptic_player_start(&engine, player, 0, 0);
    }
    while (code == 0) {
        if (!has_line(&engine, &code))
            continue;
        if (!fgets(line, sizeof line, stdin))
            break;
        code =
            haptic_player_send_parameter(&engine, player, "HapticIntensityControl", atof(line), 0);
    }
    if (code != 0)
        fprintf(stderr, "%s\n%s\n", engine.error.reason, engine.error.advice);
    haptic_engine_stop(&engine);
    return code == 0 ? 0 : 1;
}
