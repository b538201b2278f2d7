// The schematic projects, and the documents that must agree with them.

import Foundation
import TestSupport
import Testing

struct Project: CustomTestStringConvertible {
    let name: String
    let wiring: Wiring
    /// The boards in the project, each with its part and its name in the pin table.
    let boards: [(part: String, name: String)]
    /// The folder in Firmware/boards with the header that defines the pins.
    let header: String
    let hasSeveralActuators: Bool

    var testDescription: String { name }

    static let all = [
        Project(
            name: "uno-nano", wiring: .unoNano, boards: [("A1", "Uno R3"), ("A2", "Nano")],
            header: "atmega328p", hasSeveralActuators: false),
        Project(
            name: "uno-nano-several", wiring: .unoNanoSeveral,
            boards: [("A1", "Uno R3"), ("A2", "Nano")], header: "atmega328p",
            hasSeveralActuators: true),
        Project(
            name: "pico", wiring: .pico, boards: [("A1", "Pico")], header: "rp2040",
            hasSeveralActuators: false),
        Project(
            name: "pico-several", wiring: .picoSeveral, boards: [("A1", "Pico")],
            header: "rp2040", hasSeveralActuators: true),
    ]

    func netlistText() throws -> String { try Self.text("Schematics/\(name)/\(name).net") }

    func netlist() throws -> Netlist { try Netlist(netlistText()) }

    /// Returns the rows of the bill of materials, keyed by the labels in the first row.
    func billOfMaterials() throws -> [[String: String]] {
        let lines = try Self.text("Schematics/\(name)/\(name).csv").split(separator: "\n")
            .map { line in
                line.dropFirst().dropLast()
                    .split(separator: #"",""#, omittingEmptySubsequences: false).map(String.init)
            }
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
    }

    /// Returns the name of each net's pin in the header: "PC4" or "GP4".
    func headerPins() throws -> [String: String] {
        try Self.headerPins(in: Self.text("Firmware/boards/\(header)/pins.h"))
    }

    static func headerPins(in text: String) -> [String: String] {
        var pins: [String: String] = [:]
        for define in text.matches(of: /#define (\w+)_(BIT|GPIO) (\w+)/) {
            pins[String(define.1)] = (define.2 == "GPIO" ? "GP" : "") + define.3
        }
        return pins
    }

    /// Returns the pin table of the README. The keys are the net and the column; the values are
    /// cells such as "A4 (13)".
    static func pinTable() throws -> [String: [String: String]] {
        let lines = try text("Schematics/README.md").split(separator: "\n")
            .drop { !$0.hasPrefix("| net |") }.prefix { $0.hasPrefix("|") }
            .map { line in
                line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                    .map { $0.trimmingCharacters(in: .whitespaces) }
            }
        var table: [String: [String: String]] = [:]
        for row in lines.dropFirst(2) {
            table[row[0]] = Dictionary(uniqueKeysWithValues: zip(lines[0], row).dropFirst())
        }
        return table
    }

    static func text(_ path: String) throws -> String {
        let file = PackageFolder.url.appendingPathComponent(path)
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
}
