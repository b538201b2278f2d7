// bridge measure: plays a pattern while the accelerometer of the board records it, and compares the
// measurement with the design and the prediction.

import ArgumentParser
import BridgeLink
import HapticBridge
import HapticCompiler
import HapticPatterns
import Prediction
import ToolSupport

struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play a pattern, and measure the vibration with an accelerometer on the board.",
        discussion: """
            An LIS3DH, LIS2DW12, LSM6DSO or LSM6DSOX on the bus of the driver records the \
            acceleration along one axis while the pattern plays. The design, the prediction by a \
            model of the actuator, and the measurement are shown on one time line. The table shows \
            for each event the level as designed, predicted and measured, the difference of the \
            measurement from the design and from the prediction in just-noticeable differences \
            (JND; 1 JND is 20 % of a level), the delay of the onset after the time of the event, \
            and how much later than predicted the onset is.

            A result is an acceleration in g at this mounting and on this axis. A different \
            mounting gives different results. Full level is the rated acceleration of the actuator \
            or, with --full hold, the acceleration of a hold at full level, which plays first.

            Examples:
              bridge measure tap.ahap
              bridge measure --axis x --full hold --svg tap.svg tap.ahap
              bridge measure --virtual --json success
            """)

    @Argument(help: "An AHAP file, a name from `bridge patterns`, or - for standard input.")
    var file: String

    @Option(help: "The axis of the accelerometer that is recorded: x, y or z.")
    var axis = SensorAxis.z

    @Option(help: "The acceleration of full level: rated (of the actuator) or hold (measured).")
    var full = FullLevel.rated

    @Flag(
        help: ArgumentHelp(
            "First find the gain and the zero of the accelerometer by means of gravity.",
            discussion: """
                You are asked to hold the board so that the axis points up, and then down. Without \
                this step, the gain of an accelerometer is uncertain by up to 10 %.
                """))
    var orient = false

    @Option(help: ArgumentHelp("The picture to write (.svg).", valueName: "file"))
    var svg: String?

    @OptionGroup var chosen: ActuatorOptions
    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    /// The approximate size of a picture, in bytes.
    private static let pictureSize = 32_768

    /// The acceleration that counts as full level.
    enum FullLevel: String, ExpressibleByArgument, CaseIterable { case rated, hold }

    func validate() throws {
        if let svg, svg != "-", !svg.lowercased().hasSuffix(".svg") {
            throw ValidationError("\(svg): the name of the picture must end in .svg.")
        }
        if svg == "-", output.json {
            throw ValidationError("Only one of --svg - and --json can use standard output.")
        }
    }

    func run() throws {
        let read = try PatternFile(reading: file, reading)
        guard read.pattern != nil else {
            throw ToolError(
                .badData, "\(file): a compiled file does not contain the pattern",
                advice: "use the AHAP file")
        }
        if let svg {
            try FileJob(source: file, destination: svg).checkKeepsSource()
            try OutputFile.checkIsWritable(svg, Self.pictureSize)
        }
        read.remarkRepairs(output)
        let (result, traces) = try board.withBoard { try measured(read, on: $0) }
        for warning in result.warnings { output.remark("\(read.name): warning: \(warning)") }
        if let svg { try OutputFile.write(Array(result.picture(traces).utf8), to: svg) }
        if svg != "-" {
            let terminal = Terminal.standardOutput
            try output.result(
                result.json,
                text: result.text(traces, width: terminal.width, colour: terminal.coloured))
        }
    }

    /// Plays and records a pattern. Throws `ToolError`.
    private func measured(
        _ read: PatternFile, on board: HapticBoard
    ) throws -> (MeasuredPattern, PatternTraces) {
        _ = try board.sensor()
        _ = try chosen.drivable(on: board)
        let configuration = try board.link.configuration(ofActuator: chosen.actuator)
        let profile =
            try compiling.profile.flatMap {
                $0 == RenderingTarget.board ? nil : try CompilingOptions.deviceProfile(named: $0)
            } ?? DeviceProfile(of: configuration)
        let recorder = MotionRecorder(
            board: board, actuator: chosen.actuator, axis: axis, configuration: configuration)
        let compiled = read.compiled(for: profile, options: compiling.compiler)
        try recorder.checkIsFelt(compiled)
        let use = ExclusiveUse(of: [board])
        let sensitivity = orient ? try recorder.orient(use) : Sensitivity()
        let full = full == .hold ? try recorder.fullLevel(sensitivity, use) : nil
        let recording = try use.perform { try recorder.record(compiled, while: use.isWanted) }
        let motion = try recorder.motion(of: recording, sensitivity, playing: compiled)
        let models = [RenderingTarget.Model(configuration: configuration, profile: profile)]
        let predicted = try ActuatorTraces.all(
            of: compiled, on: models, options: compiling.compiler, isQuiet: output.quiet)
        let (file, traces) = predicted[0]
        let result = MeasuredPattern(
            file: file, on: configuration, prediction: traces.felt, motion: motion,
            recording: recording, place: "\(board.path), actuator \(chosen.actuator)", full: full,
            sensitivity: orient ? sensitivity : nil, options: compiling.compiler)
        return (result, result.traces(traces, options: compiling.compiler))
    }
}

extension SensorAxis: ExpressibleByArgument {
    /// Creates an axis from its letter.
    public init?(argument: String) { self.init(rawValue: argument.lowercased()) }
}
