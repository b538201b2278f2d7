// The options that several commands share: what to print, how to read, how to compile.

import AHAP
import ArgumentParser
import HapticCompiler

/// What is printed, and where.
struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print results as JSON, one object a line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print results and errors only: no progress, no remarks.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print details too.")
    var verbose = false

    func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }

    /// Prints a result to standard output.
    func result(_ text: String) throws {
        try Terminal.standardOutput.write(Array((text + "\n").utf8))
    }

    /// Prints a result as one JSON object, or as text.
    func result(_ value: @autoclosure () -> JSONValue, text: @autoclosure () -> String) throws {
        try result(json ? JSONWriter.text(of: value(), layout: .compact) : text())
    }

    /// Prints a remark to standard error, unless it is to be quiet.
    func remark(_ text: String) {
        if !quiet { Terminal.standardError.write(text + "\n") }
    }

    /// Prints what is not an error yet, and what to do about it.
    func remark(_ error: ToolError) {
        remark(([error.message] + error.advice.map { "  \($0)" }).joined(separator: "\n"))
    }

    /// Prints a detail to standard error if details are wanted.
    func detail(_ text: @autoclosure () -> String) {
        if verbose { Terminal.standardError.write(text() + "\n") }
    }
}

/// How AHAP files are read.
struct ReadingOptions: ParsableArguments {
    @Flag(help: "Refuse a file that is not exactly what AHAP asks for, instead of repairing it.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "From where the control points of curves count their times.",
            discussion: """
                Apple counts from the curve (relative); some exporters from the pattern's start \
                (absolute). automatic reads from the pattern's start where at least two curves after \
                time 0, and all of them, have their first point there; that is said as a repair.
                """))
    var curveTimes = CurveTimes.automatic

    var reader: AHAPReader.Options { .init(strict: strict, curveTimes: curveTimes) }
}

/// How patterns are compiled.
struct CompilingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the actuator can render: reference, lra, erm, or a JSON file.",
            discussion: "reference keeps everything that a pattern says.",
            valueName: "name|file"))
    var profile = Self.defaultProfile
    static let defaultProfile = DeviceProfile.reference.name

    @Option(help: "Whether sharpness curves change transients: as documented not, as observed.")
    var sharpnessCurves = SharpnessCurveProfile.appleDoc

    var compiler: CompilerOptions { CompilerOptions(sharpnessCurves: sharpnessCurves) }

    /// The profile, which is a file unless it is the name of one that is built in.
    func deviceProfile() throws -> DeviceProfile {
        if let profile = DeviceProfile.named(profile) { return profile }
        let names = DeviceProfile.all.map(\.name).joined(separator: ", ")
        do {
            return try DeviceProfile(json: InputFile(profile).bytes)
        } catch let error as DeviceProfileError {
            throw ToolError(
                .badData, "\(profile):\(error)",
                advice: "Sources/HapticCompiler/Profiles has examples")
        } catch var error as ToolError {
            error.advice.append("built-in profiles: \(names)")
            throw error
        }
    }
}

extension CurveTimes: ExpressibleByArgument {}
extension SharpnessCurveProfile: ExpressibleByArgument {}
