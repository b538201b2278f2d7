// What the command line says about this kind of board only: nothing.
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

struct board_options {
    char none;
};

#endif
