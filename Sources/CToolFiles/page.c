// The contents of the files that make up the page of `bridge studio`. Swift would take half a
// minute to compile them as literals.

#include "CToolFiles.h"

// Clang also accepts #embed in C11, but warns that it is an extension from C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t abx_js[] = {
#embed "../Studio/Page/abx.js"
};
static const uint8_t aim_js[] = {
#embed "../Studio/Page/aim.js"
};
static const uint8_t app_js[] = {
#embed "../Studio/Page/app.js"
};
static const uint8_t clipboard_js[] = {
#embed "../Studio/Page/clipboard.js"
};
static const uint8_t commands_js[] = {
#embed "../Studio/Page/commands.js"
};
static const uint8_t dialogs_js[] = {
#embed "../Studio/Page/dialogs.js"
};
static const uint8_t drawing_js[] = {
#embed "../Studio/Page/drawing.js"
};
static const uint8_t editing_js[] = {
#embed "../Studio/Page/editing.js"
};
static const uint8_t edits_js[] = {
#embed "../Studio/Page/edits.js"
};
static const uint8_t elements_js[] = {
#embed "../Studio/Page/elements.js"
};
static const uint8_t files_js[] = {
#embed "../Studio/Page/files.js"
};
static const uint8_t gestures_js[] = {
#embed "../Studio/Page/gestures.js"
};
static const uint8_t index_html[] = {
#embed "../Studio/Page/index.html"
};
static const uint8_t keys_js[] = {
#embed "../Studio/Page/keys.js"
};
static const uint8_t library_js[] = {
#embed "../Studio/Page/library.js"
};
static const uint8_t list_js[] = {
#embed "../Studio/Page/list.js"
};
static const uint8_t measuring_js[] = {
#embed "../Studio/Page/measuring.js"
};
static const uint8_t model_js[] = {
#embed "../Studio/Page/model.js"
};
static const uint8_t notes_js[] = {
#embed "../Studio/Page/notes.js"
};
static const uint8_t player_js[] = {
#embed "../Studio/Page/player.js"
};
static const uint8_t receive_js[] = {
#embed "../Studio/Page/receive.js"
};
static const uint8_t record_js[] = {
#embed "../Studio/Page/record.js"
};
static const uint8_t selection_js[] = {
#embed "../Studio/Page/selection.js"
};
static const uint8_t shapes_js[] = {
#embed "../Studio/Page/shapes.js"
};
static const uint8_t socket_js[] = {
#embed "../Studio/Page/socket.js"
};
static const uint8_t studio_css[] = {
#embed "../Studio/Page/studio.css"
};
static const uint8_t studio_js[] = {
#embed "../Studio/Page/studio.js"
};
static const uint8_t timeline_js[] = {
#embed "../Studio/Page/timeline.js"
};
static const uint8_t view_js[] = {
#embed "../Studio/Page/view.js"
};
static const uint8_t words_js[] = {
#embed "../Studio/Page/words.js"
};

#define FILE(name, bytes)                                                                          \
    { name, bytes, sizeof bytes }

static const studio_page_file_t files[] = {
    FILE("abx.js", abx_js),
    FILE("aim.js", aim_js),
    FILE("app.js", app_js),
    FILE("clipboard.js", clipboard_js),
    FILE("commands.js", commands_js),
    FILE("dialogs.js", dialogs_js),
    FILE("drawing.js", drawing_js),
    FILE("editing.js", editing_js),
    FILE("edits.js", edits_js),
    FILE("elements.js", elements_js),
    FILE("files.js", files_js),
    FILE("gestures.js", gestures_js),
    FILE("index.html", index_html),
    FILE("keys.js", keys_js),
    FILE("library.js", library_js),
    FILE("list.js", list_js),
    FILE("measuring.js", measuring_js),
    FILE("model.js", model_js),
    FILE("notes.js", notes_js),
    FILE("player.js", player_js),
    FILE("receive.js", receive_js),
    FILE("record.js", record_js),
    FILE("selection.js", selection_js),
    FILE("shapes.js", shapes_js),
    FILE("socket.js", socket_js),
    FILE("studio.css", studio_css),
    FILE("studio.js", studio_js),
    FILE("timeline.js", timeline_js),
    FILE("view.js", view_js),
    FILE("words.js", words_js),
};

size_t studio_page_count(void) { return sizeof files / sizeof files[0]; }

studio_page_file_t studio_page_file(size_t index) { return files[index]; }
