// bridge stop: brings all actuators of a board to rest.

import ArgumentParser
import HapticBridge
import ToolSupport

struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring every actuator of a board to rest.",
        discussion: """
            Returns when the board has confirmed that all its actuators are at rest, even if other \
            programs of the user are playing. These programs may play again afterwards. The \
            command fails if a program that is not part of Haptic Bridge uses the port. End that \
            program; the board then comes to rest on its own within 0.25 s.

            Example:
              bridge stop --port /dev/ttyACM0
            """)

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        let (path, count) = try board.withBoard(.shared) { board in
            try board.stop()
            return (board.path, Int(board.welcome.actuators))
        }
        try output.result(
            ["schema": "bridge.stop/1", "board": .string(path), "actuators": .number(count)],
            text: "\(path): \(count.text("actuator")) at rest")
    }
}
