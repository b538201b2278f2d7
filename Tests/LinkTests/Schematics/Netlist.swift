// A netlist that KiCad has exported: the parts of a schematic, and the pins that each net connects.

struct Netlist {
    struct Part: Equatable {
        let value: String
        let fields: [String: String]
    }

    struct Pin: Hashable {
        let part: String
        let number: String
        /// The name of the pin in its symbol, for example "A4/PC4".
        let name: String
    }

    let parts: [String: Part]
    /// The nets, keyed by their names. Unlike in KiCad, the names of nets on the first sheet have
    /// no leading slash. The nets of unconnected pins are omitted.
    let nets: [String: Set<Pin>]
    /// The pins that are deliberately unconnected.
    let open: Set<Pin>

    init(_ text: String) throws {
        let export = try SExpression(text)
        parts = Self.parts(export)
        let all = Self.nets(export)
        nets = all.filter { !$0.key.hasPrefix("unconnected-") }
        open = all.filter { $0.key.hasPrefix("unconnected-") }.values
            .reduce(into: []) { $0.formUnion($1) }
    }

    private static func parts(_ export: SExpression) -> [String: Part] {
        var parts: [String: Part] = [:]
        for part in export.lists("components").flatMap({ $0.lists("comp") }) {
            guard let reference = part.value("ref") else { continue }
            var fields: [String: String] = [:]
            for property in part.lists("property") {
                if let name = property.value("name") { fields[name] = property.value("value") }
            }
            parts[reference] = Part(value: part.value("value") ?? "", fields: fields)
        }
        return parts
    }

    private static func nets(_ export: SExpression) -> [String: Set<Pin>] {
        var nets: [String: Set<Pin>] = [:]
        for net in export.lists("nets").flatMap({ $0.lists("net") }) {
            guard let name = net.value("name") else { continue }
            let isOfFirstSheet = name.hasPrefix("/") && !name.dropFirst().contains("/")
            nets[isOfFirstSheet ? String(name.dropFirst()) : name] = Set(
                net.lists("node").map { node in
                    Pin(
                        part: node.value("ref") ?? "", number: node.value("pin") ?? "",
                        name: node.value("pinfunction") ?? "")
                })
        }
        return nets
    }

    /// Returns the net of a pin.
    func net(_ part: String, _ number: String) -> String? {
        nets.first { $0.value.contains { $0.part == part && $0.number == number } }?.key
    }
}
