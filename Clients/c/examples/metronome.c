/* A metronome in step with the clock of the computer: metronome [BEATS-PER-MINUTE]
 *
 * On several computers whose clocks are synchronized, the beats are felt at the same time. */
#define _POSIX_C_SOURCE 200809L

#include "../haptic_bridge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double calendar_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint32_t make_player(struct haptic_engine *engine, const char *name) {
    const char *ahap = haptic_named_pattern(name);
    return haptic_engine_make_player(engine, ahap, strlen(ahap), NULL);
}

int main(int count, char **words) {
    static struct haptic_engine engine;
    struct haptic_event event;
    double period = 60 / (count > 1 ? atof(words[1]) : 120);
    int code = haptic_engine_start(&engine, NULL);
    if (code == 0) {
        uint32_t strong = make_player(&engine, "impact-rigid"),
                 weak = make_player(&engine, "impact-light");
        for (long long beat = (long long)floor(calendar_time() / period) + 1; code == 0; beat++) {
            double rest;
            /* Each beat is requested 0.1 s ahead, so that the board plays it exactly at its time.
             */
            while (code == 0 && (rest = (double)beat * period - calendar_time()) > 0.1) {
                code = haptic_engine_poll(&engine, (int)((rest - 0.1) * 1000) + 1, &event);
            }
            double time = haptic_current_time() + (double)beat * period - calendar_time();
            if (code == 0)
                code = haptic_player_start(&engine, beat % 4 == 0 ? strong : weak, time, 0);
        }
    }
    fprintf(stderr, "%s\n%s\n", engine.error.reason, engine.error.advice);
    haptic_engine_stop(&engine);
    return 1;
}
