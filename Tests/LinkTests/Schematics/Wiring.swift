// The connections that each pin in the schematics must have, and the deviations of a netlist from
// these connections.

/// The nets with their pins ("part.number", separated by spaces), and the values of the parts.
struct Wiring {
    var nets: [String: String]
    var values: [String: String]
    /// The parts that are plugged in and therefore not connected to a net, with their values.
    var plugged = actuators

    /// Returns one sentence for each error in a netlist, or an empty array if there is no error.
    func complaints(about netlist: Netlist) -> [String] {
        var complaints: [String] = []
        for (reference, value) in values where netlist.parts[reference]?.value != value {
            let found = netlist.parts[reference]?.value ?? "missing"
            complaints.append("\(reference) is \(found), not \(value)")
        }
        complaints += netlist.parts.keys.filter { values[$0] == nil }
            .map { "\($0) is unexpected" }
        for name in Set(nets.keys).union(netlist.nets.keys) {
            let expected = Set((nets[name] ?? "").split(separator: " ").map(String.init))
            let found = Set((netlist.nets[name] ?? []).map { "\($0.part).\($0.number)" })
            complaints += expected.subtracting(found).map { "\(name) lacks \($0)" }
            complaints += found.subtracting(expected).map { "\(name) has \($0)" }
        }
        return complaints.sorted()
    }
}

extension Wiring {
    /// The pins of a DRV2605L in VSSOP-10 (SLOS854D pin functions).
    static let driverPins = [
        "1": "REG", "2": "SCL", "3": "SDA", "4": "IN/TRIG", "5": "EN", "6": "VDD/NC",
        "7": "OUT+", "8": "GND", "9": "OUT-", "10": "VDD",
    ]

    static let unoNano = Wiring(
        nets: [
            "SDA": "A1.13 A2.23 R1.2 U1.3",
            "SCL": "A1.14 A2.24 R2.2 U1.2",
            "EN0": "A1.19 A2.7 R3.1 U1.5",
            "REG": "U1.1 C3.1",
            "OUT+": "U1.7 J1.1 R4.1",
            "OUT-": "U1.9 J1.2 R5.1",
            "TEST+": "R4.2 C4.1 TP1.1",
            "TEST-": "R5.2 C5.1 TP2.1",
            "+5V": "A1.5 A2.27 U1.10 U1.6 C1.1 C2.1 R1.1 R2.1",
            "GND": "A1.6 A1.7 A1.29 A2.4 A2.29 U1.8 U1.4 R3.2 C1.2 C2.2 C3.2 C4.2 C5.2",
        ],
        values: oneDriver.merging(["A1": "Arduino Uno R3", "A2": "Arduino Nano"]) { $1 })

    static let pico = Wiring(
        nets: [
            "SDA": "A1.6 R1.2 U1.3",
            "SCL": "A1.7 R2.2 U1.2",
            "EN0": "A1.9 R3.1 U1.5",
            "REG": "U1.1 C3.1",
            "OUT+": "U1.7 J1.1 R4.1",
            "OUT-": "U1.9 J1.2 R5.1",
            "TEST+": "R4.2 C4.1 TP1.1",
            "TEST-": "R5.2 C5.1 TP2.1",
            "VSYS": "A1.39 U1.10 U1.6 C1.1 C2.1",
            "+3V3": "A1.36 R1.1 R2.1",
            "GND": "A1.3 A1.8 A1.13 A1.18 A1.23 A1.28 A1.38 "
                + "U1.8 U1.4 R3.2 C1.2 C2.2 C3.2 C4.2 C5.2",
        ],
        values: oneDriver.merging(["A1": "Raspberry Pi Pico"]) { $1 })

    static let unoNanoSeveral = several(
        controller: [
            "SDA": "A1.13 A2.23", "SCL": "A1.14 A2.24", "EN0": "A1.19 A2.7", "EN1": "A1.20 A2.8",
            "EN2": "A1.21 A2.9", "EN3": "A1.22 A2.10", "+5V": "A1.5 A2.27",
            "GND": "A1.6 A1.7 A1.29 A2.4 A2.29",
        ],
        boards: ["A1": "Arduino Uno R3", "A2": "Arduino Nano"], logic: "+5V", drivers: "+5V")

    static let picoSeveral = several(
        controller: [
            "SDA": "A1.6", "SCL": "A1.7", "EN0": "A1.9", "EN1": "A1.10", "EN2": "A1.11",
            "EN3": "A1.12", "+3V3": "A1.36", "VSYS": "A1.39",
            "GND": "A1.3 A1.8 A1.13 A1.18 A1.23 A1.28 A1.38",
        ],
        boards: ["A1": "Raspberry Pi Pico"], logic: "+3V3", drivers: "VSYS")

    private static let oneDriver = [
        "U1": "DRV2605L", "R1": "2.2 kΩ", "R2": "2.2 kΩ", "R3": "100 kΩ", "R4": "100 kΩ",
        "R5": "100 kΩ", "C1": "1 µF", "C2": "0.1 µF", "C3": "1 µF", "C4": "470 pF", "C5": "470 pF",
        "J1": "2 pins", "TP1": "TestPoint", "TP2": "TestPoint",
    ]
    private static let actuators = ["M1": "VG1040003D", "M2": "B1034.FL45-00-015"]

    /// Returns the wiring of the TCA9548A and four channels. The numbers of the parts in channel n
    /// begin with 10 (n + 1) + 1.
    private static func several(
        controller: [String: String], boards: [String: String], logic: String, drivers: String
    ) -> Wiring {
        let shared = [
            "SDA": "R1.2 U1.23", "SCL": "R2.2 U1.22", logic: "R1.1 R2.1 R3.1 C1.1 U1.24",
            "/Several/RESET": "R3.2 U1.3", "GND": "U1.12 U1.1 U1.2 U1.21 C1.2",
        ]
        var wiring = Wiring(
            nets: controller.merging(shared) { "\($0) \($1)" },
            values: boards.merging([
                "U1": "TCA9548A", "R1": "4.7 kΩ", "R2": "4.7 kΩ", "R3": "10 kΩ", "C1": "0.1 µF",
            ]) { $1 },
            plugged: [:])
        let switched = [("4", "5"), ("6", "7"), ("8", "9"), ("10", "11")]
        for (channel, (data, clock)) in switched.enumerated() {
            let nets = [
                "/Several/SDA\(channel)": "U1.\(data) R#1.2 U#1.3",
                "/Several/SCL\(channel)": "U1.\(clock) R#2.2 U#1.2",
                "EN\(channel)": "R#3.1 U#1.5",
                "/Several/Channel\(channel)/REG": "U#1.1 C#3.1",
                "/Several/Channel\(channel)/OUT+": "U#1.7 J#1.1 R#4.1",
                "/Several/Channel\(channel)/OUT-": "U#1.9 J#1.2 R#5.1",
                "/Several/Channel\(channel)/TEST+": "R#4.2 C#4.1 TP#1.1",
                "/Several/Channel\(channel)/TEST-": "R#5.2 C#5.1 TP#2.1",
                "GND": "U#1.8 U#1.4 R#3.2 C#1.2 C#2.2 C#3.2 C#4.2 C#5.2",
            ]
            for (name, pins) in nets { wiring.join(pins, in: name, channel) }
            wiring.join("R#1.1 R#2.1", in: logic, channel)
            wiring.join("U#1.10 U#1.6 C#1.1 C#2.1", in: drivers, channel)
            for (part, value) in oneDriver {
                wiring.values[number(part, channel)] = value == "2.2 kΩ" ? "4.7 kΩ" : value
            }
            for (part, value) in actuators { wiring.plugged[number(part, channel)] = value }
        }
        return wiring
    }

    /// Returns the name of a part in a channel: "R11" for R1 in channel 0.
    private static func number(_ part: String, _ channel: Int) -> String {
        let letters = part.prefix { $0.isLetter }
        return "\(letters)\(channel + 1)\(part.dropFirst(letters.count))"
    }

    private mutating func join(_ pins: String, in net: String, _ channel: Int) {
        nets[net, default: ""] +=
            " " + pins.split(separator: "#").joined(separator: "\(channel + 1)")
    }
}
