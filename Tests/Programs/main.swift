// test-programs: what tests start as processes of their own.
//
//     test-programs engines PORT FILE LEVELS...    plays levels on the board at PORT once FILE is there
//     test-programs echo                           serves a page, and sends its messages back

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "engines" where arguments.count > 3:
    try playLevels(Array(arguments[3...]), at: arguments[1], whenThereIs: arguments[2])
case "echo": try echoPages()
default:
    FileHandle.standardError.write(Data("engines PORT FILE LEVELS..., or echo\n".utf8))
    exit(64)
}
