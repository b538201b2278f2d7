// Tests of the schematics without KiCad: the connections of each net, the values of the parts, and
// the documents that describe the schematics.

import HapticCompiler
import Testing

@Suite("Schematics") struct SchematicsTests {
    @Test(
        "every net connects the correct pins, and every part has the correct value",
        arguments: Project.all)
    func wiring(project: Project) throws {
        #expect(try project.wiring.complaints(about: project.netlist()) == [])
    }

    @Test(
        "the netlist, the board header and the README agree on the pin of every net",
        arguments: Project.all)
    func pinMap(project: Project) throws {
        #expect(try project.pinMap().complaints(about: project.netlist()) == [])
    }

    @Test("the README states the ATmega328P port of every net")
    func ports() throws {
        let header = Project.headerPins(
            in: try Project.text("Firmware/boards/atmega328p/pins.h"))
        #expect(
            header == [
                "SDA": "PC4", "SCL": "PC5", "EN0": "PD4", "EN1": "PD5", "EN2": "PD6", "EN3": "PD7",
            ])
        for (net, row) in try Project.pinTable() {
            #expect(row["ATmega328P"] == header[net, default: ""], "\(net)")
        }
    }

    @Test("every driver has the pin names in the data sheet", arguments: Project.all)
    func driverPins(project: Project) throws {
        let netlist = try project.netlist()
        let drivers = netlist.parts.filter { $0.value.value == "DRV2605L" }.keys
        #expect(drivers.count == (project.hasSeveralActuators ? 4 : 1))
        for driver in drivers {
            let pins = netlist.nets.values.flatMap { $0.filter { $0.part == driver } }
            #expect(
                Dictionary(uniqueKeysWithValues: pins.map { ($0.number, $0.name) })
                    == Wiring.driverPins)
        }
    }

    /// Checks the pull-ups of a channel together with the parallel pull-ups upstream of the
    /// multiplexer (SLOS854D table 32).
    @Test("the parallel pull-ups of a bus line have 0.66 to 4.7 kilohms", arguments: Project.all)
    func pullUps(project: Project) throws {
        let netlist = try project.netlist()
        let rails: Set = ["+5V", "+3V3"]
        for lines in [["SDA", "/Several/SDA0"], ["SCL", "/Several/SCL3"]] {
            let resistors = lines.flatMap { netlist.nets[$0] ?? [] }.map(\.part).filter { part in
                part.hasPrefix("R") && rails.contains(netlist.net(part, "1") ?? "")
            }
            var conductance = 0.0
            for part in resistors { conductance += 1 / (netlist.parts[part]?.kilohms ?? .infinity) }
            #expect((0.66...4.7).contains(1 / conductance))
        }
    }

    @Test("the bill of materials lists every part once, with its value", arguments: Project.all)
    func billOfMaterials(project: Project) throws {
        var listed: [String: String] = [:]
        for line in try project.billOfMaterials() {
            let references = line["Reference"]?.split(separator: ",").map(String.init) ?? []
            #expect(line["Quantity"] == "\(references.count)")
            for reference in references {
                #expect(listed.updateValue(line["Value"] ?? "", forKey: reference) == nil)
            }
        }
        let soldered = project.wiring.values.filter { $0.value != "TestPoint" }
        #expect(listed == soldered.merging(project.wiring.plugged) { $1 })
    }

    @Test("an LRA and an ERM are listed with existing profiles", arguments: Project.all)
    func profiles(project: Project) throws {
        let actuators = try project.billOfMaterials().filter { $0["One of"] == "LRA or ERM" }
        #expect(actuators.map { $0["Profile"] } == ["lra", "erm"])
        for actuator in actuators {
            #expect(DeviceProfile.named(actuator["Profile"] ?? "") != nil)
            #expect(actuator["Part"] == actuator["Value"])
        }
    }

    @Test(
        "breakout boards are connected to the pins in the table",
        arguments: [("uno", "Uno R3", "+5V"), ("nano", "Nano", "+5V"), ("pico", "Pico", "+3V3")])
    func breakout(file: String, board: String, rail: String) throws {
        let drawing = try Project.text("Schematics/wiring/\(file).svg")
        let wires = drawing.matches(of: /<title>(\S+): (\S+) to (\S+)<\/title>/)
            .map { [$0.1, $0.2, $0.3].map(String.init) }
        #expect(
            wires.map { [$0[0], $0[2]] } == [
                [rail, "VIN"], ["SDA", "SDA"], ["SCL", "SCL"], ["EN0", "EN"], ["GND", "IN"],
                ["GND", "GND"],
            ])
        let table = try Project.pinTable()
        for wire in wires {
            let cell = try #require(table[wire[0]]?[board])
            #expect(cell.hasPrefix("\(wire[1]) ("))
            #expect(drawing.contains(">\(wire[1])<") || drawing.contains(">\(wire[1]) ("))
        }
    }
}

extension Netlist.Part {
    /// The number in a value such as "2.2 kΩ"; nil for other values.
    fileprivate var kilohms: Double? {
        value.hasSuffix(" kΩ") ? Double(value.dropLast(3)) : nil
    }
}
