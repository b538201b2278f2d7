// Tests that the tool safely handles files, links and pipes from untrusted sources.

import Foundation
import TestSupport
import Testing

@testable import BoardFlashing

@Suite(.virtualTool) struct StrangeFileTests {
    private let folder = Folder()

    private func bridge(_ arguments: String...) throws -> Outcome {
        try RunningTool(Tool.executable("bridge"), arguments).outcome(within: 20)
    }

    private func makePipe(_ name: String) throws -> String {
        let path = folder.path(name)
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }

    // MARK: Texts

    @Test(arguments: [
        ("\u{1B}]0;title\u{7}", #"\u{1B}]0;title\u{7}"#), ("\u{1B}[2J", #"\u{1B}[2J"#),
        ("a\rb\u{7F}", #"a\u{D}b\u{7F}"#), ("\u{9B}31m", #"\u{9B}31m"#),
        ("\u{202E}gnp.exe", #"\u{202E}gnp.exe"#), ("\u{1B}[31", #"\u{1B}[31"#),
        ("\u{1B}[8mhidden", #"\u{1B}[8mhidden"#), ("\u{1B}[m", #"\u{1B}[m"#),
        ("one\n\ttwo é 🙂", "one\n\ttwo é 🙂"), ("\u{1B}[31mred\u{1B}[0m", "\u{1B}[31mred\u{1B}[0m"),
        ("\u{1B}[31mred\nnot", "\u{1B}[31mred\u{1B}[0m\nnot"),
        ("\u{1B}[31mred", "\u{1B}[31mred\u{1B}[0m"),
    ])
    func aTextCommandsNoTerminal(text: String, shown: String) {
        #expect(text.printable(colours: true) == shown)
        #expect(!text.printable(colours: false).contains("\u{1B}"))
    }

    @Test(arguments: ["lint", "explain"]) func aNameInAPatternCommandsNoTerminal(
        verb: String
    ) throws {
        let file = try folder.write(
            "escape.ahap",
            #"{"Version":1,"\u001b]0;owned\u0007":1,"Pattern":[{"Event":{"Time":0,"#
                + #""EventType":"HapticTransient","EventParameters":[{"ParameterID":"\u001b[2J","#
                + #""ParameterValue":1}]}}]}"#)
        let outcome = try bridge(verb, file)
        let all = outcome.output + outcome.errors
        #expect(all.contains(#"\u{1B}]0;owned\u{7}"#), "\(outcome)")
        #expect(!all.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" })
    }

    // MARK: Pipes and links

    @Test func aPipeInAFolderKeepsNothingWaiting() throws {
        _ = try makePipe("pipe.ahap")
        _ = try folder.write("tap.ahap", Samples.buzz(seconds: 1))
        let outcome = try bridge(
            "convert", folder.url.path, "--to", "ahap", "-o", folder.path("out"))
        #expect(outcome.status == 66, "\(outcome)")
        #expect(outcome.errors.contains("pipe.ahap: a pipe or a device, not a file"))
        #expect(!folder.text("out/tap.ahap").isEmpty, "the other files are converted")
    }

    @Test func theDriveOfABootLoaderHasNeitherPipesNorLinks() throws {
        _ = try makePipe("INFO_UF2.TXT")
        let piped = try bridge("flash", "--board", "pico", "--drive", folder.url.path)
        #expect(piped.status == 69 && piped.errors.contains("not the drive"), "\(piped)")
        let drive = Folder()
        let precious = try folder.write("precious.txt", "precious")
        _ = try drive.write("INFO_UF2.TXT", "UF2 Bootloader v3.0\r\nBoard-ID: RPI-RP2\r\n")
        try FileManager.default.createSymbolicLink(
            atPath: drive.path("firmware.uf2"), withDestinationPath: precious)
        let linked = try bridge("flash", "--board", "pico", "--drive", drive.url.path)
        #expect(linked.status == 69 && linked.errors.contains("not a file"), "\(linked)")
        #expect(folder.text("precious.txt") == "precious")
    }

    // MARK: Images

    @Test(arguments: [
        ":060000047FFFFFFFFFFF7C", ":06000004FFFFFFFFFFFFFC", ":03000002000000FB",
        ":0100000400FB",
    ])
    func anAddressOfAnyLengthIsRefusedWithItsLine(record: String) {
        let text = Array(
            ":10FFFF0001010101010101010101010101010101E2\n:00000001FF\n".utf8)
        #expect(throws: HexImage.Fault.self) {
            try HexImage(Array((record + "\n").utf8) + text, capacity: 32_256)
        }
        do {
            _ = try HexImage(Array("\n\(record)\n".utf8) + text, capacity: 32_256)
        } catch {
            #expect(error.line == 2)
        }
    }

    @Test func anImageBeyondTheMemoryIsRefusedWhereverItBegins() {
        let lines = [":02000004FFFFFC", ":10FFF00001010101010101010101010101010101F1"]
        #expect(throws: HexImage.Fault.self) {
            try HexImage(Array(lines.joined(separator: "\n").utf8), capacity: 32_256)
        }
    }
}
