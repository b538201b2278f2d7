// PinMap: a comparison of each net's pins in a netlist, in the firmware's header and in the
// README's table.

struct PinMap {
    let boards: [(part: String, name: String)]
    let header: [String: String]
    /// The README's pin table. The keys are the net and the column; the values are cells such as
    /// "A4 (13)".
    let table: [String: [String: String]]

    /// Returns one sentence for each discrepancy, or an empty array if there is no discrepancy.
    func complaints(about netlist: Netlist) -> [String] {
        var complaints: [String] = []
        for (net, row) in table {
            let pins = netlist.nets[net] ?? []
            for (part, name) in boards {
                let drawn = pins.filter { $0.part == part }
                if cell(drawn) != row[name] {
                    complaints.append("\(net), \(name): \(cell(drawn)), README \(row[name] ?? "")")
                }
                if let pin = drawn.first, header[net] != port(pin) {
                    complaints.append(
                        "\(net), \(name): \(port(pin) ?? "no port"), header \(header[net] ?? "none")"
                    )
                }
            }
        }
        let connected = netlist.nets.filter { net in
            net.value.contains { pin in boards.contains { $0.part == pin.part } }
        }
        for net in Set(connected.keys).union(header.keys) where table[net] == nil {
            complaints.append("\(net) is not in the README")
        }
        return complaints.sorted()
    }

    /// Returns the table cell for a set of pins: "A4 (13)" for pin 13 with the name A4/PC4.
    private func cell(_ pins: Set<Netlist.Pin>) -> String {
        guard let name = pins.first?.name.prefix(while: { $0 != "/" }) else { return "" }
        let numbers = pins.compactMap { Int($0.number) }.sorted().map(String.init)
        return "\(name) (\(numbers.joined(separator: ", ")))"
    }

    /// Returns the name that the microcontroller's data sheet uses for a pin, or nil for a supply
    /// pin.
    private func port(_ pin: Netlist.Pin) -> String? {
        if let slash = pin.name.firstIndex(of: "/") {
            return String(pin.name[slash...].dropFirst())
        }
        return pin.name.hasPrefix("GP") ? pin.name : nil
    }
}

extension Project {
    /// Returns the pins of this project. The pins of further actuators are included only if the
    /// project has several actuators.
    func pinMap() throws -> PinMap {
        let further = hasSeveralActuators ? [] : ["EN1", "EN2", "EN3"]
        return PinMap(
            boards: boards,
            header: try headerPins().filter { !further.contains($0.key) },
            table: try Self.pinTable().filter { !further.contains($0.key) })
    }
}
