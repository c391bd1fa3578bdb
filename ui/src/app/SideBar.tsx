import {
  AlertTriangle,
  ArrowUpFromLine,
  BookOpen,
  EyeOff,
  FilePen,
  Ghost,
  Hourglass,
  Layers,
  Pin,
  ShieldCheck,
  Tag,
  Trash2,
  type LucideIcon,
} from "lucide-react";
import { GroupItems } from "../features/groups/GroupItems";
import { HostItems } from "../features/hosts/HostItems";
import { ViewItems } from "../features/views/ViewItems";
import { PlaceHeading, PlaceItem } from "../kit/PlaceItem";
import { useCounts, useRegistry, useViewParts, useViewStore } from "../store/context";
import { FILTERS, filterWord, type Count, type Filter, type Place } from "../store/list";

const ICONS: Record<Filter, LucideIcon> = {
  all: Layers,
  attention: AlertTriangle,
  unpushed: ArrowUpFromLine,
  dirty: FilePen,
  missing: Ghost,
  pinned: Pin,
  safe: ShieldCheck,
  hidden: EyeOff,
};

const WHERE = ["place", "saved"] as const;

function useIsAt(): (place: Place) => boolean {
  const { place, saved } = useViewParts(WHERE);
  return (other) => saved === null && JSON.stringify(place) === JSON.stringify(other);
}

function Amount({ count }: { count: Count }) {
  if (count.unknown === 0) return count.count;
  const unknown = `${count.unknown} more cannot be told`;
  return (
    <span title={unknown}>
      {count.count}
      <span aria-hidden className="ml-0.5 text-xs">
        +?
      </span>
      <span className="sr-only">, {unknown}</span>
    </span>
  );
}

/** Places to look at: filters, saved views, hosts, groups, tags, and what was deleted. */
export function SideBar() {
  const { trash, unseen } = useRegistry();
  const view = useViewStore();
  const counts = useCounts();
  const isAt = useIsAt();
  const filters = FILTERS.filter(
    (filter) => filter !== "hidden" || counts.filters.hidden.count > 0 || isAt({ is: "filter", filter }),
  );
  return (
    <nav
      aria-label="Places"
      data-part="places"
      className="flex w-[200px] shrink-0 flex-col border-r border-line bg-side min-[1100px]:w-[212px]"
    >
      <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-2">
        <ul aria-label="Filters" className="flex flex-col gap-px">
          {filters.map((filter) => (
            <li key={filter}>
              <PlaceItem
                id={`filter:${filter}`}
                name={filterWord(filter)}
                icon={ICONS[filter]}
                chosen={isAt({ is: "filter", filter })}
                onClick={() => view.go({ is: "filter", filter })}
                count={<Amount count={counts.filters[filter]} />}
                target={filter === "pinned" ? { is: "pinned" } : null}
              />
            </li>
          ))}
        </ul>
        <ViewItems />
        <HostItems />
        <GroupItems />
        {counts.tags.length > 0 && (
          <section aria-label="Tags">
            <PlaceHeading>Tags</PlaceHeading>
            <ul className="flex flex-col gap-px">
              {counts.tags.map(([tag, count]) => (
                <li key={tag}>
                  <PlaceItem
                    id={`tag:${tag}`}
                    name={tag}
                    icon={Tag}
                    chosen={isAt({ is: "tag", tag })}
                    onClick={() => view.go({ is: "tag", tag })}
                    count={count}
                    target={{ is: "tag", tag }}
                  />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      {/* Always in sight: it says what is pending, and things are dropped on it. */}
      <section aria-label="Record" className="border-t border-line p-2">
        <ul className="flex flex-col gap-px">
          <li>
            <PlaceItem
              id="pending"
              name="Pending deletions"
              icon={Hourglass}
              chosen={false}
              onClick={() => view.open({ is: "pending" })}
              count={counts.deleting}
            />
          </li>
          <li>
            <PlaceItem
              id="trash"
              name="Trash"
              icon={Trash2}
              chosen={false}
              onClick={() => view.open({ is: "trash" })}
              count={trash}
              target={{ is: "trash" }}
            />
          </li>
          <li>
            <PlaceItem
              id="journal"
              name="Journal"
              icon={BookOpen}
              chosen={isAt({ is: "journal" })}
              onClick={() => view.go({ is: "journal" })}
              {...(unseen > 0
                ? {
                    count: (
                      <>
                        {unseen >= 1_000 ? "999+" : unseen}
                        <span className="sr-only"> since you last looked</span>
                      </>
                    ),
                    title: `${unseen} since you last looked`,
                  }
                : {})}
            />
          </li>
        </ul>
      </section>
    </nav>
  );
}
