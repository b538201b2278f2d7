// test-programs: programs that tests start as separate processes.
//
//     test-programs engines PORT FILE LEVELS...    plays levels on the board at PORT when FILE exists
//     test-programs steps FILE                      performs the steps of a file (Tests/Clients)
//     test-programs echo                           serves a page, and returns its messages

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "engines" where arguments.count > 3:
    try playLevels(Array(arguments[3...]), at: arguments[1], whenThereIs: arguments[2])
case "steps" where arguments.count == 2: try performSteps(of: arguments[1])
case "echo": try echoPages()
default:
    let usage = "usage: test-programs engines PORT FILE LEVELS... | steps FILE | echo\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
}
