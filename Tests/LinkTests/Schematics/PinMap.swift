// A comparison of the pins of each net in a netlist, in the firmware's header and in the README's
// table.

struct PinMap {
    let boards: [(part: String, name: String)]
    let header: [String: String]
    /// The README's pin table: net, then column, then "A4 (13)".
    let table: [String: [String: String]]

    /// Returns the discrepancies, one sentence each; empty if there are none.
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

    /// Returns the microcontroller's name of a pin; nil for supply pins.
    private func port(_ pin: Netlist.Pin) -> String? {
        if let slash = pin.name.firstIndex(of: "/") {
            return String(pin.name[slash...].dropFirst())
        }
        return pin.name.hasPrefix("GP") ? pin.name : nil
    }
}

extension Project {
    /// Returns the pins of this project; those of further actuators are included only if it has
    /// several.
    func pinMap() throws -> PinMap {
        let further = hasSeveralActuators ? [] : ["EN1", "EN2", "EN3"]
        return PinMap(
            boards: boards,
            header: try headerPins().filter { !further.contains($0.key) },
            table: try Self.pinTable().filter { !further.contains($0.key) })
    }
}
