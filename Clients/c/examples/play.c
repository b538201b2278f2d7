/* Plays an AHAP file: play FILE [PORT] */
#include "../haptic_bridge.h"

#include <stdio.h>

int main(int count, char **words) {
    static struct haptic_engine engine;
    struct haptic_options options = {.port = count > 2 ? words[2] : NULL, .program = "play.c"};
    if (count < 2) {
        fprintf(stderr, "usage: play FILE [PORT]\n");
        return 64;
    }
    uint32_t player = 0;
    int code = haptic_engine_start(&engine, &options);
    if (code == 0) {
        player = haptic_engine_make_player_of_file(&engine, words[1], NULL);
        code = player ? haptic_player_start(&engine, player, 0, 0) : engine.error.code;
    }
    if (code == 0)
        code = haptic_engine_wait(&engine, player, 3600 * 1000);
    if (code != 0)
        fprintf(stderr, "%s\n%s\n", engine.error.reason, engine.error.advice);
    haptic_engine_stop(&engine);
    return code == 0 ? 0 : 1;
}
