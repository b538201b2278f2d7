// Tests of the behavior that all commands of `bridge` share: help, usage and output.

import Foundation
import HapticBridge
import SerialPorts
import TestSupport
import Testing

@Suite struct CommandLineTests {
    let folder = Folder()

    @Test func theHelpHasATableOfEveryExitStatus() throws {
        let outcome = try Tool.bridge("--help")
        #expect(outcome.status == 0)
        let statuses = [0, 64, 65, 66, 69, 70] + Array(72...83) + [129, 130, 143]
        for status in statuses {
            #expect(outcome.output.contains(" \(status)  "))
        }
    }

    @Test func aNetworkPortThatIsTakenIsNamed() throws {
        let udp = try NetworkAddress.bindDatagrams("127.0.0.1", 0)
        defer { close(udp.descriptor) }
        let osc = try Tool.bridge("serve", "--virtual", "--osc", "127.0.0.1:\(udp.port)")
        #expect(osc.status == 75 && osc.output.isEmpty, "\(osc)")
        #expect(
            osc.errors == """
                bridge: --osc udp://127.0.0.1:\(udp.port): another program uses this port
                  choose another address or port; 0 selects a free port

                """)
        let listener = try NetworkAddress.listen(at: "0")
        defer { close(listener.descriptor) }
        let place = listener.path.dropFirst("tcp://".count)
        let tcp = try Tool.bridge("serve", "--virtual", "--tcp", String(place))
        #expect(tcp.status == 75 && tcp.output.isEmpty, "\(tcp)")
        #expect(
            tcp.errors == """
                bridge: \(listener.path): another program uses this port
                  end that program, or choose another port

                """)
        let page = try Tool.bridge(
            "studio", "--virtual", "--no-browser", "--page-port",
            String(place.split(separator: ":").last!), folder.url.path)
        #expect(
            page.status == 75
                && page.errors.hasPrefix("bridge: --page-port \(place): another program uses"))
    }

    @Test func everyVerbHasHelp() throws {
        let help = try Tool.bridge("--help").output
        let verbs = help.components(separatedBy: "SUBCOMMANDS:").last!.split(separator: "\n")
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first }.filter { $0 != "See" }
        #expect(verbs.count == 27)
        let axis = try Tool.bridge("help", "measure").output
        #expect(axis.contains("(values: x, y, z; default: z)"), "\(axis)")
        for verb in verbs {
            let outcome = try Tool.bridge("help", String(verb))
            #expect(outcome.status == 0 && outcome.output.contains("USAGE: bridge \(verb)"))
        }
    }

    @Test(arguments: [
        (["plya", "x"], "`bridge plya`", "`bridge play`"),
        (["monitr"], "`bridge monitr`", "`bridge monitor`"),
        (["actuator", "shwo"], "`bridge actuator shwo`", "`bridge actuator show`"),
        (["help", "flahs"], "`bridge flahs`", "`bridge flash`"),
        (["frobnicate"], "`bridge frobnicate`", "`bridge --help`"),
    ])
    func aMistypedCommandIsNamedWithTheOneThatIsNear(
        arguments: [String], wrong: String, advice: String
    ) throws {
        let outcome = try RunningTool(Tool.executable("bridge"), arguments).outcome()
        #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("there is no command \(wrong)"))
        #expect(outcome.errors.contains(advice))
    }

    @Test(arguments: [
        (["silence", "-5"], "at most 86400 seconds"),
        (["settings", "gain", "-0.5"], "-0.5: a gain must be 0 to 1"),
        (["settings", "gain", "-0.5", "--json"], "-0.5: a gain must be 0 to 1"),
        (["play", "--virtual", "--gain", "-1", "success"], "--gain must be 0 to 1"),
        (["serve", "--virtual", "--osc", "0", "--osc-hold", "-1"], "must be 0.1 to 3600 seconds"),
        (["import", "--density", "-1", "x.wav", "-o", "y"], "--density must be 0 to 1"),
        (["play", "--virtual", "--actuator", "-1", "success"], "--actuator must be 0 to 15"),
    ])
    func aNegativeNumberIsRejectedWithTheRange(arguments: [String], range: String) throws {
        let outcome = try RunningTool(Tool.executable("bridge"), arguments).outcome()
        #expect(outcome.status == 64 && outcome.errors.contains(range), "\(outcome)")
        #expect(!outcome.errors.contains("Missing"), "\(outcome)")
    }

    @Test func aStartThatHasPassedIsSaidBeforeAnythingElse() throws {
        let outcome = try Tool.bridge(
            "play", "--virtual", "--at", "2020-01-01T00:00:00Z", "success")
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.hasPrefix("bridge: --at: the time has passed\n"), "\(outcome)")
    }

    @Test func aNegativeAudioDelayIsSet() throws {
        let outcome = try Tool.bridge("settings", "audio-delay", "-100", "--json")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.objects.first?["audio_delay_us"] as? Int == -100_000)
    }

    @Test func aMistypedPatternIsNamedWithTheOneThatIsNear() throws {
        for verb in [["play", "--virtual"], ["patterns"]] {
            let outcome = try RunningTool(
                Tool.executable("bridge"), verb + ["sucess"]
            ).outcome()
            #expect(outcome.errors.contains("did you mean success?"), "\(outcome)")
        }
        let far = try Tool.bridge("play", "--virtual", "mypattern")
        #expect(far.status == 66 && !far.errors.contains("did you mean"), "\(far)")
        for command in ["play", "patterns"] {
            let short = try Tool.bridge(command, "impact")
            let names = "impact-light, impact-medium, impact-heavy, impact-rigid, impact-soft"
            #expect(short.status != 0 && short.errors.contains(": \(names)\n"), "\(short)")
        }
    }

    @Test func theManualHasTheSchemaOfEachResultAndNoOther() throws {
        let sources = PackageFolder.url.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        func schemas(_ text: String, _ pattern: Regex<(Substring, Substring)>) -> Set<Substring> {
            Set(text.matches(of: pattern).map(\.output.1))
        }
        var printed: Set<Substring> = []
        for case let name as String in files where name.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
            printed.formUnion(schemas(text, /schema"?(?::| =) "(bridge\.[a-z]+\/[0-9]+)"/))
        }
        let manual = try String(
            contentsOf: sources.appending(path: "bridge/Manual.md"), encoding: .utf8)
        #expect(printed.count > 25)
        #expect(schemas(manual, /`(bridge\.[a-z]+\/[0-9]+)`/) == printed)
    }

    @Test func theRulesAreAboutAllKnownBoardsAndNothingElse() throws {
        let rules = try String(
            contentsOf: PackageFolder.url.appending(
                path: "Sources/bridge/Packaging/60-haptic-bridge.rules"), encoding: .utf8)
        let boards = try String(
            contentsOf: PackageFolder.url.appending(path: "Sources/SerialPorts/KnownDevice.swift"),
            encoding: .utf8)
        let lines = rules.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let ids = boards.matches(of: /0x([0-9A-F]{4})_([0-9A-F]{4})/)
        #expect(ids.count > 40)
        var ruleCount = 0
        for id in ids {
            let (vendor, product) = (id.output.1.lowercased(), id.output.2.lowercased())
            let known = KnownDevice(
                vendor: UInt16(vendor, radix: 16)!, product: UInt16(product, radix: 16)!)
            let isOurs = known?.role == .board || known?.role == .bootloader
            let rule =
                #"ATTRS{idVendor}=="\#(vendor)", ATTRS{idProduct}=="\#(product)", TAG+="uaccess""#
            #expect(lines.contains { $0.hasPrefix(rule) } == isOurs, "\(id.output.0)")
            if isOurs { ruleCount += 1 }
        }
        // Apart from the rules, the file contains only three lines, so no line can apply to other
        // devices.
        #expect(lines.count == ruleCount + 3)
        #expect(lines.filter { $0.contains("idVendor") }.count == ruleCount)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsNameTheVerbs(shell: String) throws {
        let outcome = try Tool.bridge("--generate-completion-script", shell)
        #expect(outcome.status == 0)
        for verb in ["flash", "calibrate", "doctor", "render"] {
            #expect(outcome.output.contains(verb))
        }
    }

    @Test func theTraceOptionIsHidden() throws {
        #expect(try !Tool.bridge("help", "play").output.contains("--trace"))
        #expect(try Tool.bridge("play", "--help-hidden").output.contains("CLOCK_BOOTTIME"))
    }

    @Test(arguments: [
        ["fly"], ["play"], ["play", "--virtual", "--port", "/dev/null", "x"],
        ["info", "--serial", "1", "--port", "/dev/null"], ["info", "--board-id", "zz"],
        ["info", "--board-id", "a1", "--virtual"],
        ["compile", "x"], ["compile", "x", "y", "-o", "z"], ["lint", "-q", "-v", "x"],
        ["actuator", "set", "--virtual", "--kind", "lra", "--rated", "2", "--overdrive", "3"],
        ["actuator", "set", "--virtual", "--kind", "erm", "--rated", "3", "--overdrive", "2"],
        ["actuator", "set", "--virtual", "B1034.FL45-00-015", "--quality", "10"],
        ["actuator", "set", "--virtual", "VG1040003D", "--start-voltage", "2"],
        ["actuator", "set", "--virtual", "VG1040003D", "--quality", "9", "--time-constant", "17"],
        ["actuator", "set", "--virtual", "VG1040003D", "--quality", "0"],
        ["actuator", "set", "--virtual", "--time-constant", "0.5"],
        ["actuator", "set", "--virtual", "--acceleration", "51"],
        ["actuator", "set", "--virtual", "B1034.FL45-00-015", "--start-voltage", "3.1"],
        ["actuator", "set", "--virtual", "B1034.FL45-00-015", "--running-voltage", "3"],
        [
            "actuator", "set", "--virtual", "--kind", "erm", "--rated", "3", "--overdrive", "3.6",
            "--start-voltage", "1", "--running-voltage", "1.1",
        ],
        ["play", "--curve-times", "sideways", "x"],
        ["audition", "reaper"], ["audition", "--virtual"],
        ["audition", "--connect", "127.0.0.1:1"],
        ["audition", "haptrix", "--connect", "127.0.0.1"], ["audition", "haptrix", "--code", "1"],
        ["audition", "studio", "--connect", "127.0.0.1:65536"],
        ["audition", "studio", "--connect", "::1"], ["audition", "studio", "--connect", ":1"],
        ["render", "x", "-o", "x.jpg"], ["render", "x", "-o", "-", "--json"],
        ["render", "x", "-o", "-", "--wav", "-"],
    ])
    func aWrongCommandLineIsRefused(arguments: [String]) throws {
        #expect(try RunningTool(Tool.executable("bridge"), arguments).outcome().status == 64)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func outputThatCannotBeWrittenIsAnError() throws {
        let file = try folder.write("tap.ahap", Samples.tap)
        let outcome = try RunningTool(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "\(Tool.executable("bridge").path) dump \(file) > /dev/full"]
        ).outcome()
        #expect(outcome.status == 73 && outcome.errors.contains("standard output: No space left"))
        for help in ["help", "--help", "--version"] {
            let outcome = try RunningTool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "\(Tool.executable("bridge").path) \(help) > /dev/full"]
            ).outcome()
            #expect(outcome.status == 73, "\(help): \(outcome)")
        }
    }

    @Test func aPortThatIsNoSerialPortIsNotFlashed() throws {
        let outcome = try Tool.bridge("flash", "--board", "uno", "--port", "/dev/null")
        #expect(outcome.status == 64 && outcome.errors.contains("not a serial port"), "\(outcome)")
    }

    @Test func outputInAFileHasNoEscapeCodes() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        for arguments in [
            ["lint", path], ["play", "--virtual", path], ["render", path], ["--help"],
        ] {
            let outcome = try RunningTool(Tool.executable("bridge"), arguments).outcome()
            #expect(!(outcome.output + outcome.errors).contains("\u{1B}"))
            #expect(!outcome.errors.contains("\r"))
        }
    }

    @Test func quietLeavesResultsOnly() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        let outcome = try Tool.bridge("play", "--virtual", "--quiet", path)
        #expect(outcome.errors.isEmpty && outcome.output.contains("1 repair,"))
    }

    @Test func onATerminalColoursObeyNoColor() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        func onTerminal(_ environment: [String: String]) throws -> String {
            let tool = Tool.executable("bridge").path
            return try TerminalRun("\(tool) lint \(path)", environment).output
        }
        guard TerminalRun.isPossible else { return }
        #expect(try onTerminal(["TERM": "xterm"]).contains("\u{1B}[33m"))
        #expect(try !onTerminal(["TERM": "xterm", "NO_COLOR": "1"]).contains("\u{1B}"))
        #expect(try !onTerminal(["TERM": "dumb"]).contains("\u{1B}"))
    }
}

/// A command line that runs on its own terminal, provided by script(1).
struct TerminalRun {
    let output: String

    private static let script = "/usr/bin/script"
    static var isPossible: Bool {
        #if os(Linux)
            FileManager.default.isExecutableFile(atPath: script)
        #else
            false
        #endif
    }

    init(_ command: String, _ environment: [String: String]) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.script)
        process.arguments = ["-qec", command, "/dev/null"]
        process.environment = environment
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
    }
}
