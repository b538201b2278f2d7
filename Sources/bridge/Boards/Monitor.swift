// bridge monitor: shows the state of a board repeatedly.

import ArgumentParser
import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

struct Monitor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state of a board until Ctrl-C.",
        discussion: """
            Shows whether the board drives its actuators, its maximum lateness, the error bound of \
            its clock, its faults, and each actuator. In a terminal, one line is updated in place; \
            with --json, each sample is a separate line. A board that is served, or on which \
            `bridge play` plays, is queried without interrupting it. In any other case, this \
            command keeps the port open, so that no other program can play.

            Examples:
              bridge monitor
              bridge monitor --json --interval 1 --count 60 > board.jsonl
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Time between two samples, 0.05 to 60.", valueName: "seconds"))
    var interval = Snapshot.interval

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End after this number of samples.", valueName: "number"))
    var count: Int?

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard (0.05...60).contains(interval), (count ?? 1) > 0 else {
            throw ValidationError("--interval must be 0.05 to 60 seconds, and --count at least 1.")
        }
    }

    func run() throws {
        try board.withBoard(.shared) { board in
            try Interruption.deferred { try watch(board) }
            if let status = Interruption.status { throw ToolError(status, "") }
        }
    }

    private func watch(_ board: HapticBoard) throws {
        let terminal = Terminal.standardOutput
        let isRedrawn = terminal.canRedraw && !output.json
        defer { if isRedrawn { terminal.write("\n") } }
        let started = Link.now()
        var polls = 0
        while !Interruption.isRequested, polls < count ?? .max {
            polls += 1
            let snapshot = try Snapshot(board, at: Link.now() - started)
            if isRedrawn {
                terminal.draw(String(snapshot.line.prefix(terminal.width - 1)))
            } else {
                try output.result(snapshot.json(of: board), text: snapshot.line)
            }
            let next = started + Microseconds(Double(polls) * interval * 1e6)
            while Link.now() < next, !Interruption.isRequested, polls < count ?? .max {
                // Runs the link until the next sample, so that the clocks are also synchronized.
                try board.link.run(until: min(next, Link.now() + 20_000)) { event in
                    if case .ended(let end) = event { throw end }
                    return false
                }
            }
        }
    }
}

extension Snapshot {
    /// Queries the board for the data of one sample.
    fileprivate init(_ board: HapticBoard, at time: Int64) throws {
        self.init(
            at: time, try board.status(), try board.link.stream(0), try board.actuators(),
            board.link.session.clock)
    }
}
