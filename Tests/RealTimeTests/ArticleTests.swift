// Tests that the code in the documentation's articles compiles in Swift's strictest mode and plays
// on a virtual board.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct ArticleTests {
    /// An article. `plays` is true if the code in the article plays a pattern.
    struct Article: CustomTestStringConvertible, Sendable {
        let name: String
        let plays: Bool
        var testDescription: String { name }
    }

    private static let catalog = PackageFolder.url.appendingPathComponent(
        "Sources/HapticBridge/HapticBridge.docc")

    /// Articles whose code does not play.
    private static let silent: Set = ["PreparingToPlayHaptics", "ConvertingPatternFiles"]

    /// All articles that contain code.
    static let articles: [Article] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: catalog.path)
        let names = (files ?? []).filter { $0.hasSuffix(".md") }
            .map { ($0 as NSString).deletingPathExtension }
        return names.sorted().filter { (try? code("swift", in: $0))?.isEmpty == false }
            .map { Article(name: $0, plays: !silent.contains($0)) }
    }()

    private let folder = Folder()

    /// Returns the code blocks of an article in a given language, concatenated.
    private static func code(_ language: String, in article: String) throws -> String {
        let text = try String(
            contentsOf: catalog.appendingPathComponent("\(article).md"), encoding: .utf8)
        var isCode = false
        return text.components(separatedBy: "\n").filter { line in
            let wasCode = isCode
            if line.hasPrefix("```") { isCode = !wasCode && line == "```\(language)" }
            return wasCode && isCode
        }.joined(separator: "\n")
    }

    /// Returns the object files of a module. Ignores object files of deleted sources, which the
    /// folder may still contain.
    private func objects(of module: String) throws -> [String] {
        struct Output: Decodable { var object: String? }

        let folder = Tool.buildFolder.appendingPathComponent("\(module).build")
        let list = folder.appendingPathComponent("output-file-map.json")
        if let data = try? Data(contentsOf: list) {
            let outputs = try JSONDecoder().decode([String: Output].self, from: data)
            // If the module is compiled as a whole, the entry without a source has no object file.
            return outputs.filter { !$0.key.isEmpty }.compactMap(\.value.object)
        }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".o") }.map { folder.appendingPathComponent($0).path }
    }

    private func compile(_ article: Article) throws -> URL {
        let source = try folder.write(
            "\(article.name).swift", Data(Self.code("swift", in: article.name).utf8))
        let program = source.deletingPathExtension()
        let modules = [
            "POSIX", "JSONText", "HapticPatterns", "AHAP", "Checksum", "HapticCompiler",
            "PatternFormats", "SoundImport", "BridgeLink", "DRV2605",
            "SerialPorts", "HapticBoards",
            "BoardEngine", "BoardSharing", "HapticBridge",
            "PlatformFeedback",
            "EmbeddedFiles", "CEmbeddedFiles", "Logging",
        ]
        let objects = try modules.flatMap(objects)
        let outcome = try RunningTool(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "swiftc", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Article",
                "-I", Tool.buildFolder.appendingPathComponent("Modules").path,
                "-Xcc",
                "-fmodule-map-file=\(PackageFolder.url.path)/Firmware/protocol/module.modulemap",
                "-Xcc",
                "-fmodule-map-file=\(PackageFolder.url.path)/Sources/CSerialPort/module.modulemap",
                "-Xcc",
                "-fmodule-map-file=\(PackageFolder.url.path)/Sources/CMath/module.modulemap",
                "-Xcc",
                "-fmodule-map-file=\(PackageFolder.url.path)/Sources/CDeflate/module.modulemap",
                "-Xcc",
                "-fmodule-map-file=\(Tool.buildFolder.path)/CEmbeddedFiles.build/module.modulemap",
                "-lserialport", "-lm", "-lz", "-o", program.path, source.path,
            ] + objects
        ).outcome()
        try #require(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
        return program
    }

    @Test(arguments: articles)
    func theCodeCompilesAndRunsOnTheVirtualBoard(_ article: Article) throws {
        let program = try compile(article)
        try folder.write(
            "swell.ahap", Data(Self.code("json", in: "PlayingAPatternFromAFile").utf8))
        let board = try LiveBoard()
        let outcome = try RunningTool(
            program, [], environment: ["BRIDGE_PORT": board.port], in: folder.url
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(board.hasDriven == article.plays)
        #expect(wait { board.isAtRest })
    }
}
