// Fix: a change of a file's text that resolves a diagnostic.

/// A change of a text at the location of its diagnostic.
enum Fix: Sendable, Hashable {
    /// Removes bytes that have no meaning.
    case removeBytes(Range<Int>)
    /// Replaces the scalar at the location by another one.
    case replace(String)
    /// Removes the key at the location and its value.
    case removeMember
    /// Removes the innermost object around the location, and its container if that contains nothing
    /// else.
    case removeOwner
    /// Adds a member to the object at the location.
    case addMember(AHAPKey, String)
    /// Splits the object at the location into one object for each member.
    case splitEntry
    /// Sorts the array around the location by `Time`.
    case sortPoints
    /// Makes the times of the control points of all curves relative to the `Time` of their curve.
    case relativeTimes
}
