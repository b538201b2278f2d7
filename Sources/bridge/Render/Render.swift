// bridge render: renders a pattern as a picture, sound or data.

import ArgumentParser
import HapticCompiler
import JSONText
import Prediction
import ToolSupport

struct Render: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a pattern as it is designed, sent and felt.",
        discussion: """
            One picture shows intensity and sharpness as designed, the event stream, the drive \
            level on the bus of the board, and the acceleration predicted by a model of the \
            actuator. The actuator is that of the selected board or, without a board, a coin LRA \
            and a coin ERM. The firmware plays the streams in this process. A picture is an SVG \
            file or, with rsvg-convert, a PNG file. Without an output file, the pattern is plotted \
            in the terminal.

            --wav writes the pattern as sound: volume follows intensity, pitch follows sharpness \
            (110 to 880 Hz), and each tap is a click. --json prints the data of the picture.

            Examples:
              bridge render success
              bridge render pattern.ahap -o pattern.svg
              bridge render --profile erm pattern.ahap -o pattern.png --wav pattern.wav
            """)

    @Argument(
        help: "An AHAP or compiled file, a name from `bridge patterns`, or - for standard input.")
    var file: String

    @Option(
        name: .customShort("o"),
        help: ArgumentHelp(
            "The picture to write (.svg or .png), or - for an SVG on standard output.",
            valueName: "picture"))
    var destination: String?

    @Option(help: ArgumentHelp("The WAV file to write (48 kHz, 16 bits).", valueName: "file"))
    var wav: String?

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if let destination, destination != "-", !isPNG, !destination.lowercased().hasSuffix(".svg")
        {
            throw ValidationError(
                "\(destination): a picture is .svg or .png; --wav FILE writes sound.")
        }
        if [destination, wav, output.json ? "-" : nil].count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Only one of -o -, --wav - and --json can use standard output.")
        }
        if let destination, destination != "-", destination == wav {
            throw ValidationError(
                "-o and --wav name the same file; the picture and the sound need separate files.")
        }
    }

    private var isPNG: Bool { destination?.lowercased().hasSuffix(".png") == true }

    func run() throws {
        // A missing program is reported before the computation starts.
        if isPNG { _ = try PictureConverter.find() }
        let target = try RenderingTarget(compiling, board)
        let pattern = try PatternFile(
            file, reading, for: target.profile, options: compiling.compiler)
        for path in [destination, wav].compactMap(\.self) {
            try FileJob(source: file, destination: path).checkKeepsSource()
        }
        pattern.remarkRepairs(output)
        if wav != nil { try PatternTraces.checkSoundLength(of: pattern) }
        let actuators = try ActuatorTraces.all(
            of: pattern, on: target.models, options: compiling.compiler, isQuiet: output.quiet)
        let traces = PatternTraces(
            pattern, on: actuators.map(\.traces), options: compiling.compiler)
        for actuator in traces.actuators { remark(on: actuator, pattern) }
        if let destination { try write(picture(traces, pattern, target), to: destination) }
        if let wav { try OutputFile.write(traces.sound.bytes, to: wav) }
        if output.json {
            try output.result(JSONWriter.text(of: json(traces, pattern, target), layout: .compact))
        } else if destination == nil, wav == nil {
            try output.result(plot(traces, pattern, target))
        }
    }

    private func remark(on actuator: ActuatorTraces, _ pattern: PatternFile) {
        guard !actuator.progress.isClean else { return }
        output.remark(
            "\(pattern.name): warning: on the \(actuator.name), "
                + "\(actuator.progress.lateEvents.text("write")) late, "
                + "\(actuator.progress.skippedTaps.text("tap")) skipped: "
                + "the serial line or the bus is too slow for the pattern")
    }

    // MARK: Output

    private func picture(
        _ traces: PatternTraces, _ pattern: PatternFile, _ target: RenderingTarget
    ) -> String {
        let name = pattern.name.split(separator: "/").last.map(String.init) ?? pattern.name
        return PatternPicture.svg(traces, title: name, facts: facts(pattern, target))
    }

    private func write(_ svg: String, to destination: String) throws {
        try OutputFile.write(
            isPNG ? PictureConverter.png(of: svg) : Array(svg.utf8), to: destination)
    }

    private func plot(
        _ traces: PatternTraces, _ pattern: PatternFile, _ target: RenderingTarget
    ) -> String {
        let terminal = Terminal.standardOutput
        let plot = TerminalPlot(traces, width: terminal.width, colour: terminal.coloured)
        return "\(pattern.name): \(facts(pattern, target))\n\n\(plot.text)"
    }

    /// Returns one line of text that describes the pattern.
    private func facts(_ pattern: PatternFile, _ target: RenderingTarget) -> String {
        let isShort = pattern.duration < 1_000_000
        var facts = [isShort ? "\(pattern.duration / 1_000) ms" : pattern.duration.secondsText]
        if let events = pattern.pattern?.events {
            let taps = events.count { $0.type == .hapticTransient }
            let continuous = events.count { $0.type == .hapticContinuous }
            let curves = pattern.pattern?.curves.count ?? 0
            for (count, noun) in [
                (taps, "tap"), (continuous, "continuous event"), (curves, "curve"),
            ]
            where count > 0 { facts.append(count.text(noun)) }
        } else {
            facts.append("compiled")
        }
        let profile = pattern.isCompiled ? "" : ", profile \(target.name)"
        return facts.joined(separator: ", ")
            + "; event stream of \(pattern.bytes.count.text("byte"))\(profile)"
    }
}

// MARK: Data

extension Render {
    private func json(
        _ traces: PatternTraces, _ pattern: PatternFile, _ target: RenderingTarget
    ) -> JSONValue {
        [
            "schema": "bridge.render/1",
            "file": .string(pattern.name),
            "picture": .string(destination), "sound": .string(wav),
            "profile": pattern.isCompiled ? nil : .string(target.name),
            "duration_us": .number(pattern.duration),
            "shown_us": .number(traces.length),
            "design": traces.design?.json(from: traces.origin) ?? nil,
            "stream": traces.stream.json(from: traces.origin - pattern.lead),
            "actuators": .array(traces.actuators.map(\.json)),
        ]
    }
}

extension Trace {
    /// Returns the points as JSON pairs: microseconds since `origin`, and the value.
    fileprivate func json(from origin: Int64) -> JSONValue {
        .array(
            points.map {
                [.number($0.time - origin), .thousandths(Int(($0.value * 1_000).rounded()))]
            })
    }
}

extension TapMark {
    fileprivate func json(from origin: Int64) -> JSONValue {
        [
            "time_us": .number(time - origin),
            "intensity": .thousandths(Int((strength * 1_000).rounded())),
            "sharpness": .thousandths(Int((sharpness * 1_000).rounded())),
        ]
    }
}

extension PatternTraces.Design {
    fileprivate func json(from origin: Int64) -> JSONValue {
        [
            "intensity": intensity.json(from: origin),
            "sharpness": .array(sharpness.map { $0.json(from: origin) }),
            "taps": .array(taps.map { $0.json(from: origin) }),
            "continuous_us": .array(
                spans.map { [.number($0.start - origin), .number($0.end - origin)] }),
        ]
    }
}

extension PatternTraces.Stream {
    fileprivate func json(from origin: Int64) -> JSONValue {
        [
            "level": level.json(from: origin),
            "sharpness": .array(sharpness.map { $0.json(from: origin) }),
            "taps": .array(taps.map { $0.json(from: origin) }),
        ]
    }
}

extension ActuatorTraces {
    /// The maximum number of acceleration values: one value for each millisecond of half an hour.
    /// If a pattern is longer, each value is the maximum over several milliseconds.
    private static let peaksMax = 1_800_000

    fileprivate var json: JSONValue {
        let step = max(1, (felt.samples.count + Self.peaksMax - 1) / Self.peaksMax)
        return [
            "kind": .name(configuration.kind),
            "lead_us": .number(lead),
            "drive": .array(drive.map { [.number($0.time), .number($0.drive)] }),
            "frequency_hz": configuration.band == nil
                ? nil
                : .array(
                    drive.filter { $0.frequency > 0 }.map {
                        [.number($0.time), .thousandths(Int(($0.frequency * 1_000).rounded()))]
                    }),
            "acceleration_step_us": .number(Int64(step) * FeltAcceleration.step),
            "rated_g": .thousandths(Int(felt.rated * 1_000)),
            "acceleration_g": .array(
                felt.samples.peaks(every: step).map { .thousandths(Int(($0 * 1_000).rounded())) }),
        ]
    }
}

extension FeltSamples {
    /// Returns the maximum of each group of `size` values.
    fileprivate func peaks(every size: Int) -> [Double] {
        var peaks = [Double](repeating: 0, count: (count + size - 1) / size)
        for interval in intervals {
            for group in interval.range.lowerBound / size...(interval.range.upperBound - 1) / size {
                peaks[group] = Swift.max(peaks[group], interval.value)
            }
        }
        return peaks
    }
}
