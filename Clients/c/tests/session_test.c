/* Compares the messages of the C client with the literal bytes of the vectors: session_test
   MESSAGES.TXT */
#include "../haptic_bridge.c"

#include <assert.h>
#undef NDEBUG

static struct haptic_engine engine;
static int server;
static char vectors[64][1024];
static unsigned vector_count;

static void read_vectors(const char *path, const char *speaker) {
    char line[4096];
    FILE *file = fopen(path, "r");
    assert(file);
    vector_count = 0;
    while (fgets(line, sizeof line, file)) {
        size_t length = strlen(speaker);
        if (strncmp(line, speaker, length) != 0)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(vectors[vector_count++], sizeof *vectors, "%s", line + length + 1);
    }
    fclose(file);
}

static const char *vector(const char *part) {
    for (unsigned i = 0; i < vector_count; i++) {
        if (strstr(vectors[i], part))
            return vectors[i];
    }
    assert(!"the vectors lack this message");
    return NULL;
}

/* Makes an engine that is connected to this program instead of a server. */
static void open_engine(void) {
    int sockets[2];
    if (engine.socket > 0)
        close(engine.socket), close(server);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    memset(&engine, 0, sizeof engine);
    prepare(sockets[0]);
    engine.socket = sockets[0];
    engine.first_player = 1;
    engine.sent = engine.asked = engine.received = haptic_current_time();
    server = sockets[1];
}

static void send_raw(const void *bytes, size_t count) {
    assert(write(server, bytes, count) == (ssize_t)count);
}

static void answer(const char *text) {
    size_t length = strlen(text);
    uint8_t head[4] = {0, (uint8_t)(length >> 16), (uint8_t)(length >> 8), (uint8_t)length};
    send_raw(head, 4);
    send_raw(text, length);
}

static enum haptic_event_type next(struct haptic_event *event) {
    haptic_engine_poll(&engine, 20, event);
    return event->type;
}

static void open_started(void) {
    struct haptic_event event;
    open_engine();
    answer("{\"type\":\"started\"}");
    assert(next(&event) == HAPTIC_STARTED);
}

/* Checks that the next message from the client has the given text. */
static void expect(const char *text) {
    uint8_t head[4];
    char body[70000];
    size_t length, used = 0;
    do {
        assert(recv(server, head, 4, MSG_WAITALL) == 4);
        length = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        for (used = 0; used < length;) {
            ssize_t count = read(server, body + used, length - used);
            assert(count > 0);
            used += (size_t)count;
        }
        body[used] = 0;
    } while (strcmp(body, "{\"type\":\"alive\"}") == 0);
    if (strcmp(body, text) != 0) {
        fprintf(stderr, "sent     %s\nexpected %s\n", body, text);
        exit(1);
    }
}

static void test_commands(void) {
    static const char taps[] =
        "{\"Pattern\":[{\"Event\":{\"EventType\":\"HapticTransient\",\"Time\":0,"
        "\"EventParameters\":["
        "{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},"
        "{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.5}]}},"
        "{\"Event\":{\"EventType\":\"HapticTransient\",\"Time\":0.25,\"EventDuration\":1e-1,"
        "\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.25},"
        "{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":1}]}},"
        "{\"Parameter\":{\"ParameterID\":\"HapticIntensityControl\",\"Time\":0,\"ParameterValue\":"
        "0.5}},"
        "{\"ParameterCurve\":{\"ParameterID\":\"HapticSharpnessControl\",\"Time\":0.001,"
        "\"ParameterCurveControlPoints\":[{\"Time\":0,\"ParameterValue\":-1},"
        "{\"Time\":0.5,\"ParameterValue\":1}]}}]}";
    static const char levels[] =
        "{\"Pattern\":[{\"Event\":{\"EventType\":\"HapticContinuous\",\"Time\":0,\"EventDuration\":"
        "0.5,"
        "\"EventParameters\":[{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":0.5},"
        "{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0.25}]}},"
        "{\"Event\":{\"EventType\":\"HapticContinuous\",\"Time\":10e-6,\"EventParameters\":["
        "{\"ParameterID\":\"HapticIntensity\",\"ParameterValue\":1},"
        "{\"ParameterID\":\"HapticSharpness\",\"ParameterValue\":0},"
        "{\"ParameterID\":\"AttackTime\",\"ParameterValue\":0.25},"
        "{\"ParameterID\":\"DecayTime\",\"ParameterValue\":0.5},"
        "{\"ParameterID\":\"ReleaseTime\",\"ParameterValue\":0.75},"
        "{\"ParameterID\":\"Sustained\",\"ParameterValue\":0}]}},"
        "{\"Event\":{\"EventType\":\"AudioContinuous\",\"Time\":20e-6,\"EventDuration\":0.7}}]}";
    const struct haptic_player_options looping = {true, true, true, 0.25, 2};
    const struct haptic_player_options ending = {false, false, false, 0.70002, 0};
    const double points[2][2] = {{0, 0}, {0.001, 1}};
    open_started();
    assert(haptic_engine_make_player(&engine, taps, strlen(taps), &looping) == 1);
    assert(haptic_engine_make_player(&engine, levels, strlen(levels), &ending) == 2);
    for (unsigned i = 1; i < 7; i++)
        expect(vectors[i]);
    assert(haptic_player_start(&engine, 1, 0, 0) == 0);
    expect("{\"player\":1,\"type\":\"start\"}");
    assert(haptic_player_start(&engine, 1, 123.456789, 0.0025) == 0);
    expect(vector("\"offset\":2500"));
    assert(haptic_player_stop(&engine, 1, 123.456789) == 0);
    expect(vector("\"stop\""));
    assert(haptic_player_cancel(&engine, 1) == 0);
    expect(vector("\"cancel\""));
    assert(haptic_player_pause(&engine, 1, 0) == 0);
    expect(vector("\"pause\""));
    assert(haptic_player_resume(&engine, 1, 123.456789) == 0);
    expect(vector("\"resume\""));
    assert(haptic_player_seek(&engine, 1, 1) == 0);
    expect(vector("\"seek\""));
    assert(haptic_player_send_parameter(&engine, 1, "HapticIntensityControl", 0.25, 5e-6) == 0);
    expect("{\"parameters\":[[\"HapticIntensityControl\",0,0.25]],\"player\":1,\"time\":5,"
           "\"type\":\"parameters\"}");
    assert(haptic_player_schedule_curve(&engine, 1, "HapticIntensityControl", points, 2, 5e-6) ==
           0);
    expect(vector("\"curve\""));
    assert(haptic_player_set_rate(&engine, 1, 0.5) == 0);
    expect(vector("\"rate\":0.5"));
    assert(haptic_player_set_loop(&engine, 1, true, 0) == 0);
    expect(vector("\"loop\""));
    assert(haptic_player_set_muted(&engine, 1, true) == 0);
    expect(vector("\"muted\":true,\"player\":1,\"type\""));
    assert(haptic_player_release(&engine, 1) == 0);
    expect(vector("\"abandon\""));
    assert(haptic_engine_set_muted(&engine, false) == 0);
    expect(vector("\"muted\":false"));
    assert(haptic_engine_request_output(&engine, 1, 123.456789) == 0);
    expect(vector("\"output\"}"));
    assert(haptic_engine_request_output(&engine, 0, 0) == 0);
    expect("{\"type\":\"output\"}");
    assert(haptic_engine_request_output(&engine, 0, 2) == 0);
    expect("{\"time\":2000000,\"type\":\"output\"}");
    for (unsigned player = 0; player < 2; player++)
        assert(haptic_engine_request_output(&engine, player, -1) == HAPTIC_INVALID_TIME);
}

static void test_hello(void) {
    const struct haptic_options options = {.locality = "leftHandle", .program = "one tap"};
    open_engine();
    assert(begin_session(&engine, &options, NULL, NULL) == 0);
    expect(vectors[0]);
}

static void test_bad_patterns(void) {
    static const struct {
        const char *text;
        int code;
    } bad[] = {
        {"", HAPTIC_INVALID_PATTERN_DATA},
        {"{\"Pattern\":[", HAPTIC_INVALID_PATTERN_DATA},
        {"{\"a\\", HAPTIC_INVALID_PATTERN_DATA},
        {"[]", HAPTIC_INVALID_PATTERN_DICTIONARY},
        {"{\"Pattern\":[]}", HAPTIC_INVALID_PATTERN_DICTIONARY},
        {"{\"Pattern\":[3]}", HAPTIC_INVALID_PATTERN_DICTIONARY},
        {"{\"Pattern\":[{\"Event\":{}}]}", HAPTIC_INVALID_EVENT_TYPE},
        {"{\"Pattern\":[{\"Event\":{\"EventType\":\"HapticTransient\",\"Time\":-1}}]}",
         HAPTIC_INVALID_TIME},
        {"{\"Pattern\":[{\"Event\":{\"EventType\":\"HapticTransient\",\"Time\":\"1\"}}]}",
         HAPTIC_BAD_PARAMETER_ENTRY},
    };
    open_started();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert(haptic_engine_make_player(&engine, bad[i].text, strlen(bad[i].text), NULL) == 0);
        assert(engine.error.code == bad[i].code);
    }
    assert(haptic_player_start(&engine, 1, 0, 0) == HAPTIC_INVALID_PATTERN_PLAYER);
    const char *named = haptic_named_pattern("success");
    assert(named && !haptic_named_pattern("sing"));
    assert(haptic_engine_make_player(&engine, named, strlen(named), NULL) == 1);
    assert(haptic_player_start(&engine, 1, -1, 0) == HAPTIC_INVALID_TIME);
    assert(haptic_player_send_parameter(&engine, 1, "Volume", 1, 0) ==
           HAPTIC_INVALID_PARAMETER_TYPE);
    expect("{\"events\":[[0,0,0.5,0.9],[0,180000,1,0.4]],\"more\":true,\"player\":1,\"type\":"
           "\"pattern\"}");
}

/* A value that is not a number is rejected before a message is sent, because the server would
   respond to that value by ending the engine. */
static void test_not_numbers(void) {
    const struct haptic_player_options odd_rate = {false, false, false, 0, NAN};
    const struct haptic_player_options odd_loop = {true, false, false, INFINITY, 1};
    const double points[2][2] = {{0, 1}, {1, NAN}};
    const char *named = haptic_named_pattern("success");
    uint8_t bytes[4096];
    open_started();
    uint32_t player = haptic_engine_make_player(&engine, named, strlen(named), NULL);
    assert(player == 1);
    while (recv(server, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        continue;
    const char *id = "HapticIntensityControl";
    assert(haptic_player_send_parameter(&engine, 1, id, NAN, 0) == HAPTIC_BAD_PARAMETER_ENTRY);
    assert(haptic_player_schedule_curve(&engine, 1, id, points, 2, 0) ==
           HAPTIC_BAD_PARAMETER_ENTRY);
    assert(haptic_player_set_rate(&engine, 1, NAN) == HAPTIC_BAD_PARAMETER_ENTRY);
    assert(haptic_player_start(&engine, 1, NAN, 0) == HAPTIC_INVALID_TIME);
    assert(haptic_player_seek(&engine, 1, INFINITY) == HAPTIC_INVALID_TIME);
    assert(haptic_player_set_loop(&engine, 1, true, NAN) == HAPTIC_INVALID_TIME);
    assert(haptic_engine_make_player(&engine, named, strlen(named), &odd_rate) == 0);
    assert(engine.error.code == HAPTIC_BAD_PARAMETER_ENTRY);
    assert(haptic_engine_make_player(&engine, named, strlen(named), &odd_loop) == 0);
    assert(engine.error.code == HAPTIC_INVALID_TIME);
    assert(recv(server, bytes, sizeof bytes, MSG_DONTWAIT) < 0);
    assert(haptic_player_start(&engine, 1, 0, 0) == 0);
}

static void test_long_curve(void) {
    static double points[600][2];
    for (int i = 0; i < 600; i++)
        points[i][0] = i / 1000.0, points[i][1] = 1;
    const char *named = haptic_named_pattern("success");
    struct haptic_event event;
    open_started();
    assert(haptic_engine_make_player(&engine, named, strlen(named), NULL) == 1);
    assert(haptic_player_schedule_curve(&engine, 1, "HapticIntensityControl",
                                        (const double(*)[2])points, 600, 1) == 0);
    shutdown(server, SHUT_WR);
    char text[65536] = {0};
    size_t used = 0;
    haptic_engine_poll(&engine, 0, &event);
    close(engine.socket);
    engine.socket = -1;
    for (ssize_t count; (count = read(server, text + used, sizeof text - used - 1)) > 0;) {
        used += (size_t)count;
    }
    int points_messages = 0, curves = 0;
    for (size_t i = 0; i + 15 <= used; i++) {
        points_messages += memcmp(text + i, "\"type\":\"points\"}", 16) == 0;
        curves += memcmp(text + i, "\"type\":\"curve\"}", 15) == 0;
    }
    assert(points_messages == 2 && curves == 1);
}

static void test_events(void) {
    struct haptic_event event;
    open_started();
    answer(vector("\"unknown\""));
    answer(vector("\"clock\""));
    answer("{\"type\":\"applause\",\"volume\":3}");
    answer(vector("\"connected\""));
    assert(next(&event) == HAPTIC_CONNECTED);
    answer("{\"colour\":{\"red\":[1]},\"players\":[1,2],\"type\":\"finished\"}");
    assert(next(&event) == HAPTIC_FINISHED && event.player == 1);
    assert(next(&event) == HAPTIC_FINISHED && event.player == 2);
    assert(next(&event) == HAPTIC_NO_EVENT);
    answer(vector("\"measured\""));
    assert(next(&event) == HAPTIC_MEASURED && event.text[0] == '{');
    answer(vector("\"faults\":4"));
    assert(next(&event) == HAPTIC_FAULTS && event.faults == 4);
    assert(strncmp(event.text, "[\"`bridge info`", 15) == 0);
    answer(vector("\"intensity\":0.5"));
    assert(next(&event) == HAPTIC_OUTPUT && event.player == 0 && event.is_playing);
    assert(event.intensity == 0.5 && event.sharpness == 0.25);
    answer(vector("\"player\":1,\"time\""));
    assert(next(&event) == HAPTIC_OUTPUT && event.player == 1 && !event.is_playing);
    answer(vector("\"reset\""));
    assert(next(&event) == HAPTIC_RESET);
    assert(haptic_player_start(&engine, 1, 0, 0) == HAPTIC_ENGINE_NOT_RUNNING);
    answer(vector("\"stopped\""));
    assert(next(&event) == HAPTIC_STOPPED && engine.error.code == 0);

    open_started();
    answer(vector("over-current"));
    assert(next(&event) == HAPTIC_STOPPED && engine.error.code == HAPTIC_SERVER_INTERRUPTED);
    assert(engine.error.faults == 1024);
    assert(strstr(engine.error.advice, "correct\ndo not drive"));
    open_started();
    answer(vector("unplugged"));
    assert(next(&event) == HAPTIC_STOPPED && strcmp(engine.error.port, "/dev/ttyACM0") == 0);
    assert(strcmp(engine.error.reason, "unplugged") == 0);
}

/* A program that has not polled for too long receives the reason from the server, even if it sends
   a message before it reads. */
static void test_reason_of_the_end(void) {
    static struct haptic_engine never_started;
    const char *named = haptic_named_pattern("success");
    struct haptic_event event;
    for (int is_command = 0; is_command < 2; is_command++) {
        open_started();
        assert(haptic_engine_make_player(&engine, named, strlen(named), NULL) == 1);
        answer("{\"code\":-4811,\"reason\":\"silent\",\"type\":\"lost\"}");
        close(server);
        server = -1;
        engine.sent -= 1;
        if (is_command)
            assert(haptic_player_start(&engine, 1, 0, 0) == 0);
        assert(next(&event) == HAPTIC_STOPPED);
        assert(strcmp(engine.error.reason, "silent") == 0);
    }
    haptic_engine_stop(&never_started);
    assert(fcntl(0, F_GETFD) >= 0);
    assert(haptic_engine_poll(&never_started, 0, &event) == HAPTIC_ENGINE_NOT_RUNNING);
}

static void test_hostile_server(void) {
    static const char *const invalid[] = {
        "{", "[]", "3", "{}", "{\"type\":3}", "{\"type\":\"finished\"}", "{\"type\":\"alive\"} x"};
    struct haptic_event event;
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        open_started();
        answer(invalid[i]);
        assert(next(&event) == HAPTIC_STOPPED && strstr(engine.error.reason, "invalid message"));
    }
    static char deep[60001];
    memset(deep, '[', 60000);
    open_started();
    answer(deep);
    assert(next(&event) == HAPTIC_STOPPED);

    open_started(); /* An oversized message. */
    send_raw("\x00\x01\x00\x01", 4);
    assert(next(&event) == HAPTIC_STOPPED && strstr(engine.error.reason, "too long"));

    open_started(); /* A truncated message, followed by the end of the connection. */
    send_raw("\x00\x00\x00\x10{\"type\"", 11);
    assert(next(&event) == HAPTIC_NO_EVENT);
    shutdown(server, SHUT_RDWR);
    assert(next(&event) == HAPTIC_STOPPED && strstr(engine.error.reason, "has ended"));
    assert(haptic_player_start(&engine, 1, 0, 0) == HAPTIC_SERVER_INTERRUPTED);

    open_started(); /* The largest message, whose last bytes arrive one at a time. */
    static char largest[65537];
    memset(largest, ' ', 65536);
    memcpy(largest, "{\"type\":\"reset\"}", 16);
    send_raw("\x00\x01\x00\x00", 4);
    send_raw(largest, 65530);
    assert(next(&event) == HAPTIC_NO_EVENT);
    for (int i = 65530; i < 65536; i++)
        send_raw(largest + i, 1);
    assert(next(&event) == HAPTIC_RESET);

    open_engine(); /* A server of another version. */
    answer("{\"reason\":\"uses version 4 \\u2013 caf\\u00e9\",\"type\":\"refused\"}");
    assert(wait_for_start(&engine) == HAPTIC_SERVER_INIT_FAILED);
    assert(strcmp(engine.error.reason, "uses version 4 \xe2\x80\x93 caf\xc3\xa9") == 0);

    open_started(); /* A silent server. */
    engine.received -= 2.1;
    assert(next(&event) == HAPTIC_STOPPED && strstr(engine.error.reason, "does not answer"));
}

/* Test case 2 of RFC 4231. The key is padded to 32 bytes; this does not change the code. */
static void test_codes(void) {
    static const uint8_t key[32] = "Jefe";
    uint8_t code[32];
    char digits[65];
    hmac(key, "what do ya want ", 16, "for nothing?", 12, code);
    to_hexadecimal(code, 32, digits);
    assert(strcmp(digits, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843") == 0);
}

static void test_numbers(void) {
    static const struct {
        const char *text;
        double number;
    } numbers[] = {{"0", 0},
                   {"-0.5", -0.5},
                   {"0.422601", 0.422601},
                   {"1e-7", 1e-7},
                   {"1.50", 1.5},
                   {"3.4028234663852886e38", 3.4028234663852886e38},
                   {"123456789012345678", 123456789012345678.0}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct json value = {numbers[i].text, numbers[i].text + strlen(numbers[i].text)};
        double number;
        assert(json_to_double(value, &number));
        assert(fabs(number - numbers[i].number) <= 1e-15 * fabs(number));
    }
}

int main(int count, char **words) {
    assert(count == 2);
    signal(SIGPIPE, SIG_IGN);
    test_codes();
    test_numbers();
    read_vectors(words[1], "client");
    test_hello();
    test_commands();
    test_bad_patterns();
    test_not_numbers();
    test_long_curve();
    read_vectors(words[1], "server");
    test_events();
    test_reason_of_the_end();
    test_hostile_server();
    puts("session_test: all tests passed");
    return 0;
}
