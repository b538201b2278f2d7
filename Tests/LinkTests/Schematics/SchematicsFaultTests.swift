// Tests that the checks of schematics detect faults. Each test inserts a fault into a copy of a
// netlist, and a check must detect the fault.

import Testing

@Suite("Faults in a copy of a netlist") struct SchematicsFaultTests {
    /// Returns the name of a part. In a project with several actuators, the part belongs to channel
    /// 0.
    private func part(_ name: String, in project: Project) -> String {
        project.hasSeveralActuators ? "\(name.first!)1\(name.dropFirst())" : name
    }

    private func complaints(_ project: Project, _ text: String) throws -> [String] {
        try project.wiring.complaints(about: Netlist(text))
    }

    @Test("SDA and SCL swapped at the driver", arguments: Project.all)
    func swappedAtTheDriver(project: Project) throws {
        let driver = part("U1", in: project)
        let (data, clock) =
            project.hasSeveralActuators ? ("/Several/SDA0", "/Several/SCL0") : ("SDA", "SCL")
        let text = try project.netlistText().swapping(driver, "3", "2")
        #expect(
            try complaints(project, text) == [
                "\(clock) has \(driver).3", "\(clock) lacks \(driver).2",
                "\(data) has \(driver).2", "\(data) lacks \(driver).3",
            ])
    }

    @Test("SDA and SCL swapped at the controller", arguments: Project.all)
    func swappedAtTheController(project: Project) throws {
        let pins = project.header == "rp2040" ? ("6", "7") : ("13", "14")
        let text = try project.netlistText().swapping("A1", pins.0, pins.1)
        #expect(
            try complaints(project, text) == [
                "SCL has A1.\(pins.0)", "SCL lacks A1.\(pins.1)",
                "SDA has A1.\(pins.1)", "SDA lacks A1.\(pins.0)",
            ])
        let disagreements = try project.pinMap().complaints(about: Netlist(text))
        #expect(disagreements.count == 4)
        #expect(disagreements.allSatisfy { $0.hasPrefix("SDA, ") || $0.hasPrefix("SCL, ") })
    }

    @Test("no pull-down at EN", arguments: Project.all)
    func noPullDown(project: Project) throws {
        let resistor = part("R3", in: project)
        #expect(
            try complaints(project, project.netlistText().removing(resistor)) == [
                "EN0 lacks \(resistor).1", "GND lacks \(resistor).2",
                "\(resistor) is missing, not 100 kΩ",
            ])
    }

    @Test("no capacitor at REG", arguments: Project.all)
    func noCapacitor(project: Project) throws {
        let capacitor = part("C3", in: project)
        let net = project.hasSeveralActuators ? "/Several/Channel0/REG" : "REG"
        #expect(
            try complaints(project, project.netlistText().removing(capacitor))
                == [
                    "\(capacitor) is missing, not 1 µF", "GND lacks \(capacitor).2",
                    "\(net) lacks \(capacitor).1",
                ].sorted())
    }

    @Test("a wrong resistor value at EN", arguments: Project.all)
    func anotherValue(project: Project) throws {
        let resistor = part("R3", in: project)
        let text = try project.netlistText().replacing(
            "(comp (ref \"\(resistor)\")\n      (value \"100 kΩ\")",
            with: "(comp (ref \"\(resistor)\")\n      (value \"1 kΩ\")")
        #expect(try complaints(project, text) == ["\(resistor) is 1 kΩ, not 100 kΩ"])
    }

    @Test("a pin that differs from the pin in the header")
    func movedPin() throws {
        let header = try Project.text("Firmware/boards/atmega328p/pins.h")
            .replacing("EN0_BIT PD4", with: "EN0_BIT PD3")
        let project = Project.all[0]
        let map = try project.pinMap()
        let moved = PinMap(
            boards: map.boards,
            header: Project.headerPins(in: header).filter { map.header[$0.key] != nil },
            table: map.table)
        #expect(
            try moved.complaints(about: project.netlist()) == [
                "EN0, Nano: PD4, header PD3", "EN0, Uno R3: PD4, header PD3",
            ])
    }
}

extension String {
    /// Returns a pin of a part in the notation of a netlist.
    private func node(_ part: String, _ pin: String) throws -> Substring {
        let node = try Regex(#"\(node \(ref "\#(part)"\) \(pin "\#(pin)"\).*\(pintype "[^"]*"\)\)"#)
        return self[try #require(firstRange(of: node))]
    }

    fileprivate func swapping(_ part: String, _ one: String, _ other: String) throws -> String {
        let (first, second) = (try node(part, one), try node(part, other))
        return replacing(first, with: "#").replacing(second, with: first)
            .replacing("#", with: second)
    }

    fileprivate func removing(_ part: String) throws -> String {
        let component = try Regex(
            #"\(comp \(ref "\#(part)"\)(.|\n)*?\n      \(tstamps "[^"]*"\)\)"#)
        let node = try Regex(#"\(node \(ref "\#(part)"\).*\(pintype "[^"]*"\)\)"#)
        return replacing(component, with: "").replacing(node, with: "")
    }
}
