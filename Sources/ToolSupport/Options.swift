// The options that several commands share: for output, for reading files and for compiling
// patterns.

import AHAP
import ArgumentParser
import HapticCompiler
import HapticPatterns
import JSONText

/// The options that control the output of a command.
package struct OutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Print results as JSON, one object per line.")
    package var json = false

    @Flag(name: .shortAndLong, help: "Print only results and errors: no progress, no warnings.")
    package var quiet = false

    @Flag(name: .shortAndLong, help: "Print details.")
    package var verbose = false

    package init() {}

    package func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose cannot be combined.") }
    }

    /// Prints a result to standard output.
    package func result(_ text: String) throws {
        try print(Terminal.standardOutput.printable(text))
    }

    /// Prints a result as one JSON object, or as text.
    package func result(_ value: @autoclosure () -> JSONValue, text: @autoclosure () -> String)
        throws
    {
        try json ? print(JSONWriter.text(of: value(), layout: .compact)) : result(text())
    }

    private func print(_ line: String) throws {
        try Terminal.standardOutput.write(Array((line + "\n").utf8))
    }

    /// Prints a diagnostic to standard error, unless --quiet is given.
    package func remark(_ text: String) {
        if !quiet { Terminal.standardError.write(text + "\n") }
    }

    /// Prints a problem that does not end the command, with advice.
    package func remark(_ error: ToolError) {
        remark(([error.message] + error.advice.map { "  \($0)" }).joined(separator: "\n"))
    }

    /// Prints a detail to standard error if --verbose is given.
    package func detail(_ text: @autoclosure () -> String) {
        if verbose { Terminal.standardError.write(text() + "\n") }
    }
}

/// The options for reading AHAP files.
package struct ReadingOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Refuse an AHAP file that needs repairs.",
            discussion: """
                lint, explain and play also refuse a pattern with a sound that cannot be played; \
                compile, dump and render do not read sound files. lint also refuses a file of \
                another format if a part differs or is missing in the pattern.
                """))
    package var strict = false

    @Option(
        help: ArgumentHelp(
            "The origin of the times of control points in curves.",
            discussion: """
                Apple counts from the beginning of the curve (relative), some exporters from the \
                beginning of the pattern (absolute). With automatic, times count from the \
                beginning of the pattern if at least two curves begin after time 0 and the first \
                point of each of them has the same time as its curve; this is reported as a \
                repair.
                """))
    var curveTimes = CurveTimes.automatic

    package init() {}

    package var reader: AHAPReader.Options { .init(strict: strict, curveTimes: curveTimes) }
}

/// The options for compiling patterns.
package struct CompilingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The actuator for which to render: reference, lra, erm, wide-band, the name of a fit, or "
                + "a JSON file.",
            discussion: """
                reference keeps every detail of a pattern and compensates for no actuator. lra and \
                erm are typical coin actuators of each kind. wide-band is an actuator whose \
                frequency follows the sharpness, from 80 to 300 Hz. `bridge fit` stores profiles \
                under names. compile, explain and render also accept board: the actuator of the \
                board, as it is configured.
                """,
            valueName: "name|file"))
    package var profile: String?

    @Option(
        help:
            "Sharpness curves leave transients unchanged, as documented, or affect them, as observed."
    )
    var sharpnessCurves = SharpnessCurveProfile.appleDoc

    @Option(
        help: ArgumentHelp(
            "The meaning of an event's time: the event is felt, or its drive begins.",
            discussion: """
                An actuator needs time to reach a level, and more time for a stronger event. With \
                felt, the drive begins earlier by this time. With drive, it begins exactly at the \
                time of the event.
                """))
    var align = DriveAlignment.felt

    package init() {}

    package var compiler: CompilerOptions {
        CompilerOptions(sharpnessCurves: sharpnessCurves, alignment: align)
    }

    /// Returns the built-in profile with the given name or, if there is no such profile, the profile
    /// that `bridge fit` has stored under this name or, if there is none, the profile in the file at
    /// the path `profile`.
    package static func deviceProfile(named profile: String) throws -> DeviceProfile {
        if let profile = DeviceProfile.named(profile) { return profile }
        let names = DeviceProfile.all.map(\.name).joined(separator: ", ")
        do {
            return try DeviceProfile(json: InputFile(StoredProfile(profile).existingPath).bytes)
        } catch let error as DeviceProfileError {
            throw ToolError(
                .badData, "\(profile):\(error)",
                advice: "the manual describes the file under \"Profiles of actuators\"")
        } catch var error as ToolError {
            error.advice.append("built-in profiles: \(names)")
            let stored = StoredProfile.names
            if !stored.isEmpty {
                error.advice.append("stored fits: \(stored.joined(separator: ", "))")
            }
            throw error
        }
    }
}

extension CurveTimes: ExpressibleByArgument {}
extension SharpnessCurveProfile: ExpressibleByArgument {}
extension DriveAlignment: ExpressibleByArgument {}
