// bridge play: plays files, and returns when the actuator is at rest.

import ArgumentParser
import BridgeLink
import HapticBridge
import HapticCompiler

struct Play: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play haptic patterns.",
        discussion: """
            Plays AHAP files and compiled files (.hbes) one after the other, and returns when the \
            board has confirmed the end and the actuator is at rest. Ctrl-C stops the actuator \
            at once. All files are checked before the first one plays.

            Examples:
              bridge play --virtual heartbeat.ahap
              bridge play --port /dev/ttyACM0 --json *.ahap
              generate-pattern | bridge play -
              bridge play --port /dev/ttyACM0 --port /dev/ttyACM1 --at +2 wave.ahap
            """)

    @Argument(help: "AHAP or compiled files, or names of `bridge patterns`; - is standard input.")
    var files: [String]

    @Option(help: ArgumentHelp("The number of the actuator that plays.", valueName: "number"))
    var actuator: Int?

    @Option(
        help: ArgumentHelp(
            "Where to play, on a board with several actuators.",
            discussion: """
                default, all, handles, leftHandle, rightHandle, triggers, leftTrigger or rightTrigger, \
                as `bridge actuator set --locality` has told the board; default is the handles of a \
                board that has some, else all, and is what plays if nothing is said.
                """))
    var locality: HapticLocality?

    @Option(
        help: ArgumentHelp(
            "When to start: +SECONDS from now, or seconds since 1970 as `date +%s.%N` prints them.",
            discussion: """
                Every event then keeps to this computer's clock. Several boards start together; \
                without a time, as soon as all of them are ready.
                """,
            valueName: "time"))
    var at: StartTime?

    @Option(
        help: ArgumentHelp(
            "How strong all is, 0 to 1. Else the user's settings say it.",
            discussion: """
                These are in ~/.config/haptic-bridge/settings.json, in which \
                { "haptics": false } has nothing felt, and { "gain": 0.7 } less of all. They are read \
                as the board is connected; no flag switches on what is off there.
                """,
            valueName: "factor"))
    var gain: Double?

    @Flag(help: "Play unfelt.")
    var mute = false

    @Flag(
        help: ArgumentHelp(
            "Show how the board is while it plays, twice a second.",
            discussion: """
                As `bridge monitor` does, a line each time, with what the stream asks for, how \
                full its queue is and how late it is. Of several boards, the first.
                """))
    var monitor = false

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard 0..<16 ~= actuator ?? 0 else { throw ValidationError("--actuator is 0 to 15.") }
        guard actuator == nil || locality == nil else {
            throw ValidationError("--actuator and --locality exclude each other.")
        }
        if let gain, !(0...1 ~= gain) { throw ValidationError("--gain is 0 to 1.") }
        guard at == nil || files.count == 1 else {
            throw ValidationError("--at is the time of one file.")
        }
    }

    func run() throws {
        let patterns = try files.map { try PatternFile($0, reading, compiling) }
        for pattern in patterns { remark(on: pattern) }
        let settings = try settings()
        if at == nil, board.ports.count <= 1 {
            try board.withBoard { board in
                try board.apply(settings)
                let mask = try mask(on: board)
                for pattern in patterns {
                    remarkOnBoards(pattern, [board], mask)
                    try play(pattern, on: [board], [mask]) { follow in
                        [try start(pattern, on: board, mask, follow: follow)]
                    }
                }
            }
        } else {
            try playTogether(patterns, settings)
        }
    }

    /// Those of the user, and the flags above them.
    private func settings() throws -> HapticSettings {
        var settings = try HapticSettings.ofUser()
        if !settings.isOn { output.remark("haptics are off in \(HapticSettings.file)") }
        settings.isOn = settings.isOn && !mute
        settings.gain = gain ?? settings.gain
        return settings
    }

    /// Plays at a time of this computer's clock.
    private func playTogether(_ patterns: [PatternFile], _ settings: HapticSettings) throws {
        let requested = at?.hostTime()
        let boards = try board.connectAll()
        defer { for board in boards { board.close() } }
        for board in boards { try board.apply(settings) }
        let masks = try boards.map(mask)
        for pattern in patterns {
            for (board, mask) in zip(boards, masks) { remarkOnBoards(pattern, [board], mask) }
            let earliest = Link.now() + BoardGroup.shortestLead
            guard requested ?? earliest >= earliest else {
                throw ToolError(
                    .usage, "--at: that time has passed, or is too near to prepare for",
                    advice: "name one at least \(BoardGroup.shortestLead.secondsText) ahead, and a "
                        + "second more for a board that resets when its port is opened")
            }
            do {
                try playTogether(pattern, on: boards, masks, at: requested ?? earliest)
            } catch let failure as BoardGroup.Failure {
                let board = boards[failure.board]
                throw ToolError(explain(failure.error, at: board), port: board.path)
            } catch {
                throw ToolError(error, port: nil)
            }
        }
    }

    private func playTogether(
        _ pattern: PatternFile, on boards: [HapticBoard], _ masks: [ActuatorMask], at time: Int64
    ) throws {
        let playings = try play(pattern, on: boards, masks) { follow in
            try BoardGroup(boards).play(
                events: pattern.bytes, tickMicroseconds: Int(pattern.tick),
                on: masks, at: time, follow: follow)
        }
        guard boards.count > 1, let skew = BoardGroup.skew(playings) else { return }
        let result = SkewResult(boards: boards.count, skew: skew)
        try output.result(result.json, text: result.text)
    }

    /// Plays, shows how it goes, and prints the result of each board.
    @discardableResult
    private func play(
        _ pattern: PatternFile, on boards: [HapticBoard], _ masks: [ActuatorMask],
        with body: ((Playback) -> Bool) throws -> [HapticBoard.Playing]
    ) throws -> [HapticBoard.Playing] {
        let before = boards.map(\.link.session.statistics)
        var position = PlayPosition(pattern)
        var display = PlayDisplay(pattern, on: boards[0], isQuiet: output.quiet)
        let monitor = monitor ? PlayMonitor(pattern, on: boards[0]) : nil
        var failure: (any Error)?
        let playings = try Interruption.deferred {
            defer { display.clear() }
            return try body { playback in
                do {
                    if let look = monitor?.look(playback) {
                        display.clear()
                        try output.result(look.json(of: boards[0]), text: look.line)
                    }
                } catch {
                    failure = error
                }
                display.update(playback)
                position.note(playback, boards[0].link.session.clock, at: Link.now())
                return failure == nil && !Interruption.isRequested
            }
        }
        if let failure { throw failure }
        for (index, board) in boards.enumerated() {
            let statistics = board.link.session.statistics
            let result = PlayResult(
                pattern: pattern, board: board.path, isAlone: boards.count == 1,
                actuators: masks[index], playing: playings[index], stoppedAt: position.last,
                bytes: (
                    statistics.bytesSent - before[index].bytesSent,
                    statistics.bytesReceived - before[index].bytesReceived
                ))
            try output.result(result.json, text: result.text)
        }
        if let status = Interruption.status {
            throw ToolError(status, "stopped; the actuator is at rest")
        }
        return playings
    }

    private func start(
        _ pattern: PatternFile, on board: HapticBoard, _ mask: ActuatorMask,
        follow: (Playback) -> Bool
    ) throws -> HapticBoard.Playing {
        do {
            return try board.play(
                events: pattern.bytes, tickMicroseconds: Int(pattern.tick),
                on: mask, follow: follow)
        } catch {
            throw explain(error, at: board)
        }
    }

    /// What is known of an actuator's trouble; any other error as it is.
    private func explain(_ error: any Error, at board: HapticBoard) -> any Error {
        func explained(_ explanation: () throws -> ToolError) -> any Error {
            (try? explanation()) ?? error
        }
        switch error as? PlaybackError {
        case .actuatorNotReady(let index, .unconfigured)?:
            return ToolError(unconfigured: index, at: board.path)
        case .actuatorNotReady(let index, .fault)?:
            return explained { ToolError(undrivable: index, of: board, try board.status().faults) }
        case let trouble? where trouble.isActuatorTrouble:
            return explained { try ToolError(endedBy: board) }
        default: return error
        }
    }

    private func remark(on pattern: PatternFile) {
        let shown = output.verbose ? pattern.remarks : pattern.repairs
        for diagnostic in shown { output.remark(diagnostic.line(file: pattern.name)) }
        for item in pattern.report?.items ?? [] { output.detail(item.line(file: pattern.name)) }
    }

    /// Says what boards and actuators cannot do of a pattern, before it plays. A board that does not
    /// answer says so when it is to play.
    private func remarkOnBoards(
        _ pattern: PatternFile, _ boards: [HapticBoard], _ mask: ActuatorMask
    ) {
        try? remarkOnSchedule(of: pattern, on: boards)
        for board in boards {
            for actuator in mask.indices where actuator < board.welcome.actuators {
                try? remarkOnBudget(of: pattern, on: board, actuator)
            }
        }
    }

    private func remarkOnBudget(
        of pattern: PatternFile, on board: HapticBoard, _ actuator: UInt8
    ) throws {
        let configuration = try board.link.configuration(ofActuator: actuator)
        guard configuration.kind != .none else { return }
        let budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
        let excess = budget.firstExcess(in: pattern.events, tick: pattern.tick) {
            configuration.tapLength(sharpness: $0)
        }
        guard let excess else { return }
        output.remark(
            "\(pattern.name): warning: at \(excess.secondsText), if it is cold now, the actuator's "
                + "energy budget is used up: the board holds it at \(budget.sustainedPercent) % then"
        )
    }

    /// Says what of the boards is too slow for a pattern, before it plays.
    private func remarkOnSchedule(of pattern: PatternFile, on boards: [HapticBoard]) throws {
        let memory = boards.map { Int($0.welcome.eventMemory) }.min() ?? 0
        let problems = try ScheduleCheck.problems(
            of: pattern.bytes, tick: pattern.tick,
            on: ScheduleCheck.Board(eventMemory: memory))
        for problem in problems { output.remark("\(pattern.name): warning: \(problem)") }
    }
}

extension HapticLocality: ExpressibleByArgument {
    /// Knows the localities that there are.
    public init?(argument: String) {
        guard let known = Self.known.first(where: { $0.rawValue == argument }) else { return nil }
        self = known
    }

    public static var allValueStrings: [String] { known.map(\.rawValue) }
}

extension PlaybackError {
    /// Whether the board gave up on the actuator. It closes the stream then, at any moment.
    fileprivate var isActuatorTrouble: Bool {
        switch self {
        case .closedByDevice: true
        case .rejected(let reject): reject.code == .fault
        default: false
        }
    }
}

extension ToolError {
    /// An actuator that must be configured before it can play.
    init(unconfigured actuator: UInt8, at port: String) {
        self.init(
            .notConfigured,
            "\(port): actuator \(actuator) is not configured, so the board does not drive it",
            advice: "name it, if `bridge actuator list` has it, or give its data sheet's values, "
                + "for example:",
            "\(Actuator.Set.example(port: port, actuator: actuator))")
    }

    /// The board has ended a playback by itself, for the faults that are latched.
    fileprivate init(endedBy board: HapticBoard) throws {
        let culprits = try board.actuators().filter { $0.state == .fault }
        let reason = culprits.map { ": actuator \($0.actuator) is in fault" }.first ?? ""
        self.init(
            "\(board.path): the board has ended the playback and is at rest\(reason)",
            try board.status().faults)
    }
}
