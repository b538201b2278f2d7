// TextChanges: converts the fixes of diagnostics to edits of bytes.

import JSONText

/// The changes of a text that resolve its diagnostics.
struct TextChanges {
    private typealias Edit = (range: Range<Int>, text: [UInt8])

    private let spans: JSONSpans

    init(_ spans: JSONSpans) { self.spans = spans }

    /// Applies all changes that neither overlap nor touch each other. Returns the changed text and
    /// the diagnostics that the changes resolve.
    func applied(
        _ diagnostics: [Diagnostic], to bytes: [UInt8]
    ) -> (bytes: [UInt8], diagnostics: [Diagnostic]) {
        let wanted = diagnostics.map { ($0, edits(for: $0)) }.filter { !$0.1.isEmpty }
            .sorted { $0.1[0].range.lowerBound < $1.1[0].range.lowerBound }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var done: [Diagnostic] = []
        var position = 0
        var isRemoval = true
        for (diagnostic, edits) in wanted {
            // Adjacent edits may be applied together only if both are removals, because all other
            // adjacent edits can interfere with each other.
            let isNext = isRemoval && edits[0].text.isEmpty
            guard edits[0].range.lowerBound >= (isNext ? position : position + 1) else { continue }
            isRemoval = edits.allSatisfy { $0.text.isEmpty }
            for edit in edits {
                result += bytes[position..<edit.range.lowerBound]
                result += edit.text
                position = edit.range.upperBound
            }
            done.append(diagnostic)
        }
        return (result + bytes[position...], done)
    }

    /// Returns the edits that resolve a diagnostic, in order of position; an empty array if the
    /// text does not contain the location of the diagnostic.
    private func edits(for diagnostic: Diagnostic) -> [Edit] {
        guard let fix = diagnostic.fix else { return [] }
        if case .removeBytes(let range) = fix { return [(range, [])] }
        if fix == .relativeTimes { return relativeTimes() }
        guard let location = diagnostic.location else { return [] }
        if fix == .removeMember {
            return spans.member(at: location).map { [removal(of: $0)] } ?? []
        }
        guard let node = spans.node(at: location) else { return [] }
        switch fix {
        case .replace(let text): return [(spans.nodes[node].range, Array(text.utf8))]
        case .removeOwner: return [removal(of: owner(of: node))]
        case .addMember(let key, let text): return [addition(of: key, text, to: node)]
        case .splitEntry: return separation(of: node)
        case .sortPoints: return spans.nodes[node].parent.map(order) ?? []
        case .removeBytes, .removeMember, .relativeTimes: return []
        }
    }
}

/// Methods that remove and add values.
extension TextChanges {
    /// Returns the innermost object that is or contains a value. If the entry that contains the
    /// object contains nothing else, returns the entry instead.
    private func owner(of node: Int) -> Int {
        var owner = node
        while let up = spans.nodes[owner].parent, !isObject(owner) { owner = up }
        if let up = spans.nodes[owner].parent, spans.members(of: up).count == 1,
            spans.nodes[up].parent != nil
        {
            owner = up
        }
        return owner
    }

    private func isObject(_ node: Int) -> Bool {
        if case .object = spans.nodes[node].content { true } else { false }
    }

    /// Returns the edit that removes a value together with its key and with the comma that becomes
    /// superfluous.
    private func removal(of node: Int) -> Edit {
        let end = spans.nodes[node].range.upperBound
        if let before = spans.sibling(before: node) {
            return (spans.nodes[before].range.upperBound..<end, [])
        }
        let next = spans.sibling(after: node).map(spans.start) ?? end
        return (spans.start(of: node)..<next, [])
    }

    private func addition(of key: AHAPKey, _ text: String, to node: Int) -> Edit {
        let member = "\"\(key.rawValue)\": \(text)"
        guard let last = spans.members(of: node).last else {
            let inside = spans.nodes[node].range.lowerBound + 1
            return (inside..<inside, Array(member.utf8))
        }
        let end = spans.nodes[last.value].range.upperBound
        return (end..<end, Array(", \(member)".utf8))
    }

    /// Returns the edits that split an object into several objects. Each comma between two members
    /// is replaced with the end of one object and the beginning of the next.
    private func separation(of node: Int) -> [Edit] {
        let members = spans.members(of: node)
        return zip(members, members.dropFirst()).map { member, next in
            (spans.nodes[member.value].range.upperBound..<next.start, Array(" }, { ".utf8))
        }
    }
}

/// Methods that sort elements by time and change times.
extension TextChanges {
    /// Returns the edits that sort the elements of an array by time. The text between the elements
    /// does not change.
    private func order(_ array: Int) -> [Edit] {
        let elements = spans.elements(of: array)
        let sorted = elements.enumerated()
            .sorted {
                (microseconds(in: $0.element), $0.offset) < (
                    microseconds(in: $1.element), $1.offset
                )
            }
            .map { $0.element }
        return zip(elements, sorted).map { element, other in
            (spans.nodes[element].range, Array(spans.text(of: other).utf8))
        }
    }

    private func relativeTimes() -> [Edit] {
        var edits: [Edit] = []
        for node in spans.nodes.indices {
            guard let curve = spans.value(of: AHAPKey.parameterCurve.rawValue, in: node) else {
                continue
            }
            edits += relativeTimes(ofCurve: curve)
        }
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Returns the edits that make the times of a curve's points relative to the time of the curve.
    /// A curve that does not start at 0 then starts at its first point (see ``RawCurve``).
    private func relativeTimes(ofCurve curve: Int) -> [Edit] {
        let points =
            spans.value(of: AHAPKey.controlPoints.rawValue, in: curve).map(spans.elements) ?? []
        guard microseconds(in: curve) != 0, let first = points.first,
            let time = spans.value(of: AHAPKey.time.rawValue, in: curve)
        else { return [] }
        let start = microseconds(in: first)
        var edits: [Edit] = []
        if start != microseconds(in: curve) {
            edits.append((spans.nodes[time].range, seconds(start)))
        }
        for point in points {
            guard let time = spans.value(of: AHAPKey.time.rawValue, in: point) else { continue }
            edits.append((spans.nodes[time].range, seconds(microseconds(in: point) - start)))
        }
        return edits
    }

    /// Returns the time of an object as a whole number of microseconds; 0 if the object has no
    /// time. The result is a `Double`, because an integer might overflow.
    private func microseconds(in object: Int) -> Double {
        guard let time = spans.value(of: AHAPKey.time.rawValue, in: object),
            let value = Double(spans.text(of: time))
        else { return 0 }
        return (value * 1_000_000).rounded()
    }

    private func seconds(_ microseconds: Double) -> [UInt8] {
        Array((microseconds / 1_000_000).description.utf8)
    }
}
